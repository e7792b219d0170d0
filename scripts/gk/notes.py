# SPDX-License-Identifier: Apache-2.0
"""The notes below a roofline: what lines and shades mean, and what is odd about which point."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gk.points import Point
from gk.roof_lines import RoofLine
from gk.roofs import Roofs

if TYPE_CHECKING:
    from gk.roofline import Plot


def roof_notes(sources: Sequence[Roofs], lines: Sequence[RoofLine]) -> list[str]:
    """What the lines are: source, dense or sparse, clock."""
    notes = []
    for roofs in sources:
        if roofs.measured:
            notes += ["Solid: measured in this run."] if lines else ["No roof is known here."]
        else:
            notes.append(f"Dashed: datasheet: {roofs.source}.")
    if any(not line.used for line in lines):
        notes.append("Grey: a roof to which no point belongs.")
    if any(line.is_memory and line.ceiling.writes for line in lines):
        notes.append("1:1 and the like: reads to writes.")
    return [" ".join(notes)]


def crowd_notes(plot: "Plot", pairs_shown: int) -> list[str]:
    """What the picture shows of many points, and where the rest stands."""
    notes, points = [], plot.picture.points
    which = " ends of the pairs that gain or lose most," if plot.picture.pairs else ""
    if plot.crowd:
        notes.append(
            f"Numbered: {len(plot.order)} of {len(points)} points:{which} suspect ones, then the "
            "lowest and the highest percentage of each series. The HTML has them all."
        )
    if plot.darkest:
        notes.append(f"Shade: points per cell, from 1 (light) to {plot.darkest} (dark).")
    if (hidden := len(plot.picture.pairs) - pairs_shown) > 0:
        notes.append(f"{hidden} more pairs between points without a number.")
    if any(not point.has_roof for point in points) and not plot.picture.hollow:
        notes.append("Hollow: what could be attained there is not known.")
    return notes


def point_notes(points: Sequence[Point], order: Sequence[int]) -> list[str]:
    """Suspect points and other oddities, those with the same text together."""
    together: dict[str, list[int]] = {}
    for number, index in enumerate(order, start=1):
        point = points[index]
        if point.suspect:  # the causes that follow stand in the file, the HTML and the CSV
            text = f"suspect: {point.suspect.partition(';')[0]}"
            together.setdefault(text, []).append(number)
        if point.note:
            together.setdefault(point.note, []).append(number)
    return [f"{_ranges(numbers)}: {text}" for text, numbers in together.items()]


def _ranges(numbers: Sequence[int]) -> str:
    """`1, 3-5` of 1, 3, 4, 5."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}\u2013{b}" for a, b in runs)
