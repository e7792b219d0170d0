# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: no network, filters, mouse, keyboard, nothing overlaps."""

import math
import subprocess
from itertools import combinations
from pathlib import Path

import pytest
from matplotlib.image import imread

import browser
import synthetic
from gk.layout import Box

pytestmark = pytest.mark.skipif(
    not browser.executable(), reason="chromium is missing: scripts/packages.txt names it"
)
SHOWN = "document.querySelectorAll('#rows tbody tr:not([hidden])').length"
VISIBLE = "[...document.querySelectorAll('#points > *')].filter(e => e.getClientRects().length)"
# The points of the outlines of each visible text of the plot, in pixels of the window.
OUTLINES = """[...document.querySelectorAll('#plot svg g[id^=text_], #plot svg g[id^=label-]')]
  .filter(g => g.getClientRects().length).map(g => [...g.querySelectorAll('path, use')]
    .filter(e => !e.closest('defs')).flatMap(e => {
      const m = e.getScreenCTM(), at = (x, y) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f];
      if (e.tagName == 'use') {
        const b = e.getBBox();
        return [at(b.x, b.y), at(b.x + b.width, b.y), at(b.x, b.y + b.height),
                at(b.x + b.width, b.y + b.height)];
      }
      const numbers = e.getAttribute('d').match(/-?[0-9.]+/g).map(Number);
      return numbers.flatMap((x, i) => i % 2 ? [] : [at(x, numbers[i + 1])]);
    }))"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with browser.Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def page(tmp_path, main):
    """Makes the page of some rows."""

    def make(rows, *options):
        path = synthetic.write(tmp_path / "run.json", rows)
        assert main(path, "-o", tmp_path / "run.html", *options)[0] == 0
        return tmp_path / "run.html"

    return make


def box_around(points):
    """The smallest box around points: labels of slanted roofs are slanted."""
    boxes = [_box_at(angle / 2, points) for angle in range(-90, 90)]
    return min(boxes, key=lambda box: box.width * box.height)


def _box_at(angle, points):
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    us, vs = [c * x + s * y for x, y in points], [c * y - s * x for x, y in points]
    u, v = (min(us) + max(us)) / 2, (min(vs) + max(vs)) / 2
    return Box(c * u - s * v, s * u + c * v, max(us) - min(us), max(vs) - min(vs), angle)


def middle_of(chromium, selector):
    rect = f"document.querySelector('{selector}').getBoundingClientRect()"
    return chromium.run(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({rect})")


def test_it_loads_nothing_but_itself_and_breaks_no_rule(chromium, page):
    path = page(synthetic.many(12), "--pairs")
    chromium.open(path)
    assert chromium.requests() == [path.resolve().as_uri()]
    assert chromium.complaints() == []
    assert chromium.run(SHOWN) == 12
    assert chromium.run("document.getElementById('count').textContent") == "12 of 12 points shown"


@pytest.mark.parametrize(("count", "least"), [(5, 20), (50, 40), (500, 30)])
def test_no_two_texts_of_the_plot_overlap(chromium, page, count, least):
    chromium.open(page(synthetic.spread(count)))
    boxes = [box_around(points) for points in chromium.run(OUTLINES)]
    assert len(boxes) >= least
    assert [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])] == []


@pytest.mark.parametrize("width", [400, 1300])
def test_nothing_sticks_out_of_a_narrow_window(chromium, page, width):
    chromium.open(page(synthetic.many(12)), width=width)
    assert chromium.run("document.documentElement.scrollWidth") <= width


def test_a_filter_hides_points_rows_and_labels_together(chromium, page):
    chromium.open(page(synthetic.spread(30)))
    labels = "[...document.querySelectorAll('[id^=label-]')]"
    labels += ".filter(e => e.getClientRects().length)"
    before = chromium.run(f"{labels}.length")
    for name in ("onednn", "onednn_unfused"):
        chromium.run(
            "[...document.querySelectorAll('#filters label')]"
            f".find(l => l.textContent.trim() == '{name}').querySelector('input').click()"
        )
    assert chromium.run(SHOWN) == 10
    assert chromium.run(f"{VISIBLE}.length") == 10
    assert chromium.run("document.getElementById('count').textContent") == "10 of 30 points shown"
    assert 0 < chromium.run(f"{labels}.length") < before
    names = "[...document.querySelectorAll('#rows tbody tr:not([hidden]) td:nth-child(2)')]"
    assert chromium.run(f"{names}.every(td => td.textContent.includes('/cpu_fused/'))")


def test_filters_exist_for_op_dtype_implementation_and_cache(chromium, page):
    chromium.open(page(synthetic.many(12)))
    legends = "[...document.querySelectorAll('#filters legend')].map(e => e.textContent)"
    assert chromium.run(legends) == ["op", "dtype", "implementation", "cache"]


def test_the_mouse_shows_the_whole_row(chromium, page):
    rows = [synthetic.measured(synthetic.gemv(64, 64, batch)) for batch in (1, 16)]
    chromium.open(page(rows))
    chromium.move_to(*middle_of(chromium, "#p0"))
    said = chromium.run("document.querySelector('#row dl').textContent")
    name = chromium.run("document.querySelector('#r0 td:nth-child(2)').textContent")
    for part in (name, "plan", "panels 64", "ceiling_bytes_per_s", "stop_reason", "precision"):
        assert part in said
    assert chromium.run("document.querySelector('#r0').className") == "on"


def test_a_click_walks_through_points_in_one_place(chromium, page):
    rows = [synthetic.measured(synthetic.gemv(n, 4096, 1)) for n in (4096, 4097, 4098)]
    chromium.open(page(rows))
    place = middle_of(chromium, "#p2")
    chromium.move_to(*place)
    seen = []
    for _ in range(3):
        seen.append(chromium.run("document.querySelector('#row dd').textContent"))
        assert "also here" in chromium.run("document.querySelector('#row dl').textContent")
        chromium.click(*place)
    assert sorted(seen) == ["1", "2", "3"]


def test_the_keyboard_reaches_filters_points_and_rows(chromium, page):
    chromium.open(page(synthetic.many(5)))
    chromium.press("Tab")
    assert chromium.run("document.activeElement.type") == "checkbox"
    chromium.press(" ")
    assert chromium.run(SHOWN) == 0  # the only op of these rows
    chromium.press(" ")
    boxes = chromium.run("document.querySelectorAll('#filters input').length")
    chromium.press("Tab", times=boxes)
    assert chromium.run("document.activeElement.id") == "plot"
    number = "document.querySelector('#row dd')?.textContent"
    chromium.press("ArrowRight")
    assert chromium.run(number) == "1"
    chromium.press("ArrowRight")
    chromium.press("End")
    assert chromium.run(number) == "5"
    chromium.press("ArrowLeft")
    assert chromium.run(number) == "4"
    chromium.press("Enter")
    assert chromium.run("document.activeElement.id") == "r3"
    chromium.press("Escape")
    assert chromium.run("document.activeElement.id") == "plot"
    chromium.press("Escape")
    assert chromium.run("document.querySelectorAll('.on').length") == 0


def test_without_scripts_there_is_a_table_and_no_dead_filter(page, tmp_path):
    path = page(synthetic.many(12))
    with browser.Browser(tmp_path / "profile") as chromium:
        chromium.open(path, scripts=False)
        tree = chromium.call("Accessibility.getFullAXTree")["nodes"]
    names = [node.get("name", {}).get("value", "") for node in tree]
    rows = [node for node in tree if node.get("role", {}).get("value") == "row"]
    assert len(rows) >= 13
    assert any("Without scripts there is no filter" in name for name in names)
    assert not any(node.get("role", {}).get("value") == "checkbox" for node in tree)


def test_hostile_text_stays_text(chromium, page):
    evil = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
    chromium.open(page([synthetic.measured(synthetic.gemv(64, 64, 1), plan=evil)]))
    assert chromium.run("document.title").startswith("Roofline of")
    assert chromium.run("document.querySelectorAll('img').length") == 0
    assert chromium.complaints() == []
    chromium.run("document.getElementById('plot').focus()")
    chromium.press("ArrowRight")
    assert evil in chromium.run("document.querySelector('#row dl').textContent")


def test_a_large_page_opens_and_filters(chromium, page):
    chromium.open(page(synthetic.spread(4000)))
    assert chromium.run(SHOWN) == 4000
    chromium.run("document.querySelector('#filters input[data-filter=\"2\"]').click()")
    assert 0 < chromium.run(SHOWN) < 4000


def test_chromium_itself_draws_a_picture(page, tmp_path: Path):
    shot = tmp_path / "shot.png"
    command = [browser.executable(), "--headless", "--no-sandbox", f"--screenshot={shot}"]
    command += ["--window-size=1300,1500", f"--user-data-dir={tmp_path / 'p'}"]
    subprocess.run(
        [*command, page(synthetic.many(12)).as_uri()], check=True, capture_output=True, timeout=60
    )
    pixels = imread(shot)
    blue = (pixels[..., 2] > 0.6) & (pixels[..., 0] < 0.1)  # the first series' markers
    assert blue.sum() > 20
