"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const rows = [...document.querySelectorAll("#rows tbody tr")];
  const codes = rows.map((row) => row.dataset.f.split(","));
  const marks = rows.map((_, n) => byId("p" + n));
  // A label and its leader name a range of numbers: label-3-7.
  const labels = [...document.querySelectorAll("[id^=label-], [id^=leader-]")].map((element) => {
    const [first, last] = element.id.split("-").slice(1).map(Number);
    return { element, first: first - 1, last };
  });
  const plot = byId("plot");
  const list = document.querySelector("#row dl");
  let current = -1;

  // `here`: the numbers of all points under the mouse.
  function select(n, here = []) {
    if (current >= 0) [marks[current], rows[current]].forEach((e) => e.classList.remove("on"));
    current = n;
    if (n < 0) return list.replaceChildren();
    [marks[n], rows[n]].forEach((e) => e.classList.add("on"));
    const others = here.filter((other) => other !== n).map((other) => other + 1).join(", ");
    const parts = [["number", String(n + 1)], ["also here", others && others + " (click)"], ...data.columns.map((c, i) => [c, data.rows[n][i]])];
    list.replaceChildren(...parts.filter(([, value]) => value !== "").flatMap(([name, value]) => {
      const term = document.createElement("dt"), text = document.createElement("dd");
      term.textContent = name;
      text.textContent = value;
      return [term, text];
    }));
  }

  // The points under the mouse, the uppermost first.
  function pointsAt(event) {
    const found = document.elementsFromPoint(event.clientX, event.clientY)
      .map((element) => element.closest("#points > *")).filter((mark) => mark);
    return [...new Set(found)].map((mark) => marks.indexOf(mark));
  }

  // The next row in a direction that the filters show.
  function step(from, by) {
    for (let n = from + by; n >= 0 && n < rows.length; n += by) if (!rows[n].hidden) return n;
    return current;
  }

  function filter() {
    const off = new Set();
    for (const box of document.querySelectorAll("#filters input:not(:checked)"))
      off.add(box.dataset.filter + ":" + box.dataset.value);
    let shown = 0;
    rows.forEach((row, n) => {
      row.hidden = codes[n].some((code, filterNumber) => off.has(filterNumber + ":" + code));
      marks[n].classList.toggle("off", row.hidden);
      if (!row.hidden) shown++;
    });
    for (const { element, first, last } of labels)
      element.classList.toggle("off", rows.slice(first, last).every((row) => row.hidden));
    byId("count").textContent = `${shown} of ${rows.length} points shown`;
    if (current >= 0 && rows[current].hidden) select(-1);
  }

  plot.addEventListener("mouseover", (event) => {
    const here = pointsAt(event);
    if (here.length && !here.includes(current)) select(here[0], here);
  });
  plot.addEventListener("click", (event) => {
    const here = pointsAt(event);
    if (here.length) select(here[(here.indexOf(current) + 1) % here.length], here);
  });
  byId("rows").addEventListener("click", (event) => select(rows.indexOf(event.target.closest("tr"))));
  plot.addEventListener("keydown", (event) => {
    const moves = {
      ArrowRight: () => step(current, 1), ArrowDown: () => step(current, 1),
      ArrowLeft: () => step(current < 0 ? rows.length : current, -1),
      ArrowUp: () => step(current < 0 ? rows.length : current, -1),
      Home: () => step(-1, 1), End: () => step(rows.length, -1),
    };
    if (moves[event.key]) select(moves[event.key]());
    else if (event.key === "Enter" && current >= 0) rows[current].focus();
    else if (event.key === "Escape") select(-1);
    else return;
    event.preventDefault();
  });
  byId("rows").addEventListener("keydown", (event) => {
    if (event.key === "Escape") plot.focus();
  });
  byId("filters").hidden = false;
  byId("filters").addEventListener("change", filter);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  filter();
})();
