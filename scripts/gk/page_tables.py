# SPDX-License-Identifier: Apache-2.0
"""The tables of the HTML page: points, pairs, and rows that are not plotted."""

from collections.abc import Sequence
from html import escape

from gk.errors import printable
from gk.pairs import Pair
from gk.points import Listed, Point
from gk.quantities import INTENSITY, Scale, significant
from gk.roofline import Plot
from gk.sheet import ARROW


def points_table(
    points: Sequence[Point], plot: Plot, sequence: Sequence[int], choices: dict[str, list[str]]
) -> str:
    """One line per point, in the order of the numbers."""
    unit = plot.scale.unit
    headings = ["#", "name", INTENSITY.unit, f"achieved {unit}", f"attainable {unit}"]
    headings += ["% of roof", "bound by", "time us", "x best vendor", "flag"]
    places = {
        name: {option: n for n, option in enumerate(options)} for name, options in choices.items()
    }
    lines = []
    for number, point in enumerate(points):
        codes = ",".join(str(places[name][getattr(point.case, name)]) for name in places)
        cells = [str(number + 1), *_cells(point, plot.scale)]
        body = "".join(f"<td>{_clean(cell)}" for cell in cells)
        lines.append(f'<tr id="r{number}" data-f="{codes}" tabindex="-1">{body}')
    return _table("rows", "All points", headings, lines)


def _cells(point: Point, scale: Scale) -> list[str]:
    times, score = point.row.times, point.row.score
    speedup = score.speedup_vs_best_vendor if score else None
    return [
        point.name,
        significant(point.intensity, 3),
        "" if point.achieved is None else scale.cell(point.achieved),
        "" if point.attainable is None else scale.cell(point.attainable),
        "" if point.percent is None else f"{point.percent:.1f}",
        point.bound or "",
        significant(times.real_s * 1e6, 4) if times else "",
        "" if speedup is None else f"{speedup:.2f}",
        f"suspect: {point.suspect}" if point.suspect else point.note or "",
    ]


def pairs_table(pairs: Sequence[Pair], points: Sequence[Point], sequence: Sequence[int]) -> str:
    """One line per pair; empty where there is none."""
    if not pairs:
        return ""
    numbers = {index: number for number, index in enumerate(sequence)}
    lines = []
    for pair in pairs:
        start, end = numbers[pair.start], numbers[pair.end]
        predicted = "" if pair.predicted is None else f"{pair.predicted:.2f}"
        names = f"{points[start].name} {ARROW} {points[end].case.implementation}"
        cells = [f"{start + 1} {ARROW} {end + 1}", pair.kind, names, predicted]
        cells += [str(pair.measured or ""), pair.why]
        lines.append("<tr>" + "".join(f"<td>{_clean(cell)}" for cell in cells))
    headings = ["#", "kind", "pair", "predicted", "measured (p10 to p90)", "prediction rests on"]
    return _table("pairs", "Pairs: times faster", headings, lines)


def listed_table(listed: Sequence[Listed]) -> str:
    """Every row that is not in the plot, with its reason."""
    lines = [f"<tr><td>{_clean(item.row.name.full)}<td>{_clean(item.reason)}" for item in listed]
    if not lines:
        return ""
    return _table("listed", f"Rows that are not plotted: {len(lines)}", ["name", "why"], lines)


def _table(name: str, caption: str, headings: Sequence[str], lines: Sequence[str]) -> str:
    head = "".join(f'<th scope="col">{_clean(heading)}' for heading in headings)
    body = "\n".join(lines)
    return (
        f'<h2>{_clean(caption)}</h2><div class="scroll"><table id="{name}"><thead><tr>{head}'
        f"</thead><tbody>\n{body}\n</tbody></table></div>"
    )


def _clean(value: str) -> str:
    return escape(printable(value))
