# SPDX-License-Identifier: Apache-2.0
"""The Markdown summary of a report, safe to paste: machine, method, wins and losses, limits."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from gk.errors import printable
from gk.machines import LEVELS
from gk.pairs import FUSION, VENDOR, Pair
from gk.quantities import BANDWIDTH, PERFORMANCE
from gk.study import Study

_MOST_LINES = 60  # of one table; the CSV has all


def build(study: Study, titles: Mapping[str, str]) -> bytes:
    """The file's bytes; `titles` says what the figures show, by name without suffix."""
    sections = [
        [f"# {safe(study.picture.title)}", _account(study)],
        [f"**{safe(note)}**" for note in study.picture.notes],
        _machine(study),
        _method(study),
        _figures(titles),
        _vendors(study),
        _fusions(study),
        _bounds(study),
        _suspects(study),
        _not_plotted(study),
    ]
    text = "\n\n".join(block for section in sections for block in section if block)
    return f"{text}\n".encode("utf-8", "replace")


def safe(text: object) -> str:
    """Text from a file that neither ends a table's cell nor becomes markup."""
    clean = printable(str(text)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*\[\]|~#])", r"\\\1", clean)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table, cut after some lines with a word on the rest."""
    lines = ["| " + " | ".join(headings) + " |", "|" + " --- |" * len(headings)]
    lines += ["| " + " | ".join(map(safe, row)) + " |" for row in rows[:_MOST_LINES]]
    if len(rows) > _MOST_LINES:
        lines.append(f"\n{len(rows) - _MOST_LINES} more lines: see the CSV and the HTML.")
    return "\n".join(lines)


def _account(study: Study) -> str:
    found = study.found
    return (
        f"{study.rows_read} rows read = {found.rows_plotted} plotted (as {len(found.points)} "
        f"points) + {len(found.listed)} listed with a reason."
    )


def _machine(study: Study) -> list[str]:
    machine, context = study.context.machine, study.context
    if machine is None:
        return ["## Machine", "The file does not say which machine it comes from."]
    facts = {
        "device": f"{machine.name} ({machine.device})",
        "driver": machine.driver,
        "cores, threads used": f"{machine.cores}, {context.threads}",
        "last-level cache": machine.llc_bytes and f"{machine.llc_bytes / 1e6:.4g} MB",
        "instruction sets": " ".join(machine.isa),
        "governor": machine.governor,
        "affinity": machine.affinity,
        "libraries": ", ".join(f"{k} {v}" for k, v in machine.libraries.items()),
    }
    rows = [(key, value or "not told by the system") for key, value in facts.items()]
    return ["## Machine", table(["what", "value"], rows), *_roofs(study)]


def _roofs(study: Study) -> list[str]:
    context = study.context
    streams = sorted(context.memory_ceilings, key=lambda c: (LEVELS.index(c.level), -c.read_share))
    rows = [
        (
            f"{c.level.upper()}, {c.reads} read : {c.writes} written",
            BANDWIDTH.text(c.bytes_per_s, 4),
        )
        for c in streams
    ]
    peaks = sorted(context.compute_ceilings, key=lambda c: (c.dtype, c.unit))
    rows += [(f"{c.dtype} {c.unit}", PERFORMANCE.text(c.flop_per_s, 4)) for c in peaks]
    if not rows:
        return ["No roof was measured in this run."]
    return ["Roofs measured in this run:", table(["roof", "value"], rows)]


def _method(study: Study) -> list[str]:
    if not study.files[0].ours:
        text = "A file of Google Benchmark: nothing is known of verification, order or cache state."
        return ["## Method", text]
    context = study.context
    if all(point.achieved is None for point in study.found.points):
        return ["## Method", "A list of cases: nothing was measured, and nothing verified."]
    facts = [
        ("files", ", ".join(file.path.name for file in study.files)),
        ("commit", f"{context.commit}{' with changes' if context.dirty else ''}"),
        ("start", context.start_utc),
        ("model, preset", f"{context.model or 'none'}, {context.preset}"),
        ("seed, inputs", f"{context.seed}, {context.distribution}"),
        ("budget", f"{context.budget_s} s of timing per member"),
        ("command", " ".join(context.command_line)),
    ]
    text = (
        "Every row was verified against a double-precision reference before and after it was "
        "timed. A time is the median of its samples; the members of a block are sampled in turn, "
        "and a factor is the median of paired ratios with its 10th and 90th percentile. Percent "
        "is of what is attainable at the row's intensity under the roof measured in between."
    )
    return ["## Method", text, table(["what", "value"], facts)]


def _figures(titles: Mapping[str, str]) -> list[str]:
    lines = [f"![{safe(title)}]({name}.png)\n\n*{safe(title)}*" for name, title in titles.items()]
    links = "[roofline.html](roofline.html) has every point with filters; [rows.csv](rows.csv) "
    return ["## Figures", *lines, links + "has every row read."]


def _vendors(study: Study) -> list[str]:
    pairs = [pair for pair in study.pairs if pair.kind == VENDOR and pair.measured]
    if not pairs:
        return ["## Own against vendor", "No row stands beside a vendor's row in this run."]
    pairs.sort(key=lambda pair: pair.measured.factor)
    verdicts = [_verdict(study, pair) for pair in pairs]
    words = ("faster", "level (the interval holds 1)", "slower", "suspect", "without interval")
    counts = [f"{n} {word}" for word in words if (n := verdicts.count(word.split(" (")[0]))]
    text = f"Against the best vendor row of the same problem: {', '.join(counts)}. Losses first."
    rows = [
        (*_names(study, pair), pair.measured, verdict)
        for pair, verdict in zip(pairs, verdicts, strict=True)
    ]
    headings = ["problem", "vendor", "own", "times faster (p10 to p90)", "verdict"]
    return ["## Own against vendor", text, table(headings, rows)]


def _verdict(study: Study, pair: Pair) -> str:
    """A gain that rests on a suspect row is flagged, never praised."""
    if any(study.found.points[index].suspect for index in (pair.start, pair.end)):
        return "suspect"
    low, high = pair.measured.low, pair.measured.high
    if low is None or high is None:
        return "without interval"
    return "faster" if low > 1 else "slower" if high < 1 else "level"


def _names(study: Study, pair: Pair) -> tuple[str, str, str]:
    start, end = (study.found.points[index].case for index in (pair.start, pair.end))
    axes = [f"{key}:{value}" for key, value in end.axes.items()]
    problem = "/".join([end.op, end.dtype, *axes, end.cache])
    return problem, start.implementation, end.implementation


def _fusions(study: Study) -> list[str]:
    pairs = [pair for pair in study.pairs if pair.kind == FUSION]
    if not pairs:
        return []
    rows = []
    for pair in pairs:
        predicted = "" if pair.predicted is None else f"{pair.predicted:.2f}"
        rows.append((*_names(study, pair), predicted, pair.measured or "", pair.why))
    text = "Predicted from bytes and launches saved alone; an interval is of paired samples."
    headings = ["problem", "unfused", "fused", "predicted", "measured", "prediction rests on"]
    return ["## Fusion", text, table(headings, rows)]


def _bounds(study: Study) -> list[str]:
    groups = defaultdict(list)
    for point in study.found.points:
        case = point.case
        groups[case.op, case.dtype, case.cache, point.bound or "unknown"].append(point.percent)
    rows = []
    for key, percents in sorted(groups.items()):
        known = [percent for percent in percents if percent is not None]
        span = f"{min(known):.1f} to {max(known):.1f}" if known else ""
        rows.append((*key, len(percents), span, f"{median(known):.1f}" if known else ""))
    headings = ["op", "dtype", "cache", "bound by", "points", "% of roof", "median"]
    return ["## What is bound by what", table(headings, rows)]


def _suspects(study: Study) -> list[str]:
    rows = [(p.name, p.suspect) for p in study.found.points if p.suspect]
    if not rows:
        return []
    return ["## Not to be believed", table(["row", "why"], rows)]


def _not_plotted(study: Study) -> list[str]:
    groups = defaultdict(list)
    for listed in study.found.listed:
        groups[listed.reason].append(listed.row.name.full)
    rows = [(len(names), reason, names[0]) for reason, names in groups.items()]
    if not rows:
        return ["## Not plotted", "Every row that was read is plotted."]
    rows.sort(key=lambda row: (-row[0], row[1]))
    return ["## Not plotted", table(["rows", "why", "for example"], rows)]
