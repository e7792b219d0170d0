# SPDX-License-Identifier: Apache-2.0
"""The text around a roofline: heading, key of markers, table of points, notes.

Each part knows its height before it is drawn, so that the page is exactly as tall as needed.
Lengths are in points.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from gk.figures import (
    COLUMN_PT,
    TEXT_PT,
    TITLE_PT,
    put_line,
    put_text,
    shorten,
    text_width,
    wrap,
)
from gk.pairs import FUSION, Pair
from gk.points import Point
from gk.quantities import INTENSITY, Scale, significant
from gk.series import Marker

MARGIN = 3.0
ARROW = "\u2192"
LINE = 7.6  # one line of table text


class Lines:
    """A block of wrapped text."""

    def __init__(self, texts: Sequence[str], size: float = TEXT_PT, weight: str = "normal") -> None:
        width = COLUMN_PT - 2 * MARGIN
        self._lines = [line for text in texts for line in wrap(text, width, size, weight)]
        self._style = {"fontsize": size, "fontweight": weight}
        self._step = size * 1.27
        self.height = self._step * len(self._lines) + 2

    def draw(self, figure: Figure, top: float) -> None:
        for index, line in enumerate(self._lines):
            put_text(figure, MARGIN, top - self._step * (index + 0.8), line, **self._style)


def title(text: str) -> Lines:
    """The figure's heading."""
    return Lines([text], TITLE_PT, "bold")


class Key:
    """What the markers mean."""

    def __init__(self, markers: dict[str, Marker]) -> None:
        self._items = []
        x, row = MARGIN, 0
        for full, marker in markers.items():
            name = shorten(full, COLUMN_PT - 2 * MARGIN - 17)
            width = 9 + text_width(name) + 8
            if x > MARGIN and x + width > COLUMN_PT:
                x, row = MARGIN, row + 1
            self._items.append((x, row, name, marker))
            x += width
        self.height = LINE * (row + 1) + 3

    def draw(self, figure: Figure, top: float) -> None:
        for x, row, name, marker in self._items:
            y = top - LINE * (row + 0.5)
            put_line(figure, [x + 3], [y], **marker.style())
            put_text(figure, x + 9, y, name, va="center_baseline")


# Columns of the table. The marker stands for the implementation, which the name then leaves out.
_RIGHT_EDGES = {"intensity": 134.0, "achieved": 163.0, "attainable": 195.5, "percent": 215.0}
_NUMBER_RIGHT, _MARKER, _NAME_LEFT, _BOUND_LEFT = 14.0, 18.5, 22.5, 218.0
_NAME_WIDTH = 80.0


@dataclass(frozen=True, slots=True)
class TableRow:
    """One point as the table shows it."""

    number: int
    name: str
    marker: Marker
    point: Point


class Table:
    """One line or more per point: number, name, intensity, rates, percent, bound."""

    def __init__(self, rows: Sequence[TableRow], scale: Scale) -> None:
        self._scale = scale
        self._rows = [(row, wrap(row.name, _NAME_WIDTH)) for row in rows]
        self.height = 2 * LINE + 4 + LINE * sum(len(lines) for _, lines in self._rows) + 2

    def draw(self, figure: Figure, top: float) -> None:
        self._heading(figure, top)
        y = top - 2 * LINE - 4
        put_line(figure, [MARGIN, COLUMN_PT - MARGIN], [y + 1.5] * 2, color="0", linewidth=0.4)
        for row, lines in self._rows:
            base = y - 0.8 * LINE
            put_line(figure, [_MARKER], [base + 2.2], **row.marker.style(3.6))
            for text, right in _cells(row, self._scale):
                put_text(figure, right, base, text, ha="right")
            bound = {"memory": "mem", "compute": "comp"}.get(row.point.bound, "-")
            put_text(figure, _BOUND_LEFT, base, bound)
            for index, line in enumerate(lines):
                put_text(figure, _NAME_LEFT, base - index * LINE, line)
            y -= LINE * len(lines)

    def _heading(self, figure: Figure, top: float) -> None:
        upper, lower = top - 0.8 * LINE, top - 1.8 * LINE
        unit = self._scale.unit
        headings = {"intensity": INTENSITY.unit, "achieved": unit, "attainable": unit}
        for name, text in headings.items():
            put_text(figure, _RIGHT_EDGES[name], upper, name, ha="right")
            put_text(figure, _RIGHT_EDGES[name], lower, text, ha="right")
        put_text(figure, _RIGHT_EDGES["percent"], lower, "%", ha="right")
        put_text(figure, _NAME_LEFT, lower, "name")
        put_text(figure, _BOUND_LEFT, upper, "bound")
        put_text(figure, _BOUND_LEFT, lower, "by")


def _cells(row: TableRow, scale: Scale) -> list[tuple[str, float]]:
    point = row.point
    cells = {
        "intensity": significant(point.intensity, 3),
        "achieved": "-" if point.achieved is None else scale.cell(point.achieved),
        "attainable": "-" if point.attainable is None else scale.cell(point.attainable),
        "percent": "-" if point.percent is None else f"{point.percent:.1f}",
    }
    number = f"{row.number}!" if point.suspect else str(row.number)
    return [(number, _NUMBER_RIGHT), *((text, _RIGHT_EDGES[key]) for key, text in cells.items())]


_MEASURED_RIGHT, _PREDICTED_RIGHT = COLUMN_PT - MARGIN, 167.0


class PairTable:
    """One line or more per pair: from, to, gain predicted and gain measured."""

    def __init__(self, pairs: Sequence[Pair], numbers: dict[int, int], names: list[str]) -> None:
        self._rows = [(pair, wrap(_pair_text(pair, numbers, names), 132)) for pair in pairs]
        lines = sum(len(lines) for _, lines in self._rows)
        self.height = 2 * LINE + 6 + LINE * lines if pairs else 0.0

    def draw(self, figure: Figure, top: float) -> None:
        if not self._rows:
            return
        base = top - 1.8 * LINE
        put_text(figure, MARGIN, base, "pair: times faster")
        put_text(figure, _PREDICTED_RIGHT, base, "predicted", ha="right")
        put_text(figure, _MEASURED_RIGHT, base + LINE, "measured", ha="right")
        put_text(figure, _MEASURED_RIGHT, base, "(p10 to p90)", ha="right")
        y = top - 2 * LINE - 4
        put_line(figure, [MARGIN, COLUMN_PT - MARGIN], [y + 1.5] * 2, color="0", linewidth=0.4)
        for pair, lines in self._rows:
            base = y - 0.8 * LINE
            predicted = "-" if pair.predicted is None else f"{pair.predicted:.2f}"
            put_text(figure, _PREDICTED_RIGHT, base, predicted, ha="right")
            put_text(figure, _MEASURED_RIGHT, base, str(pair.measured or "-"), ha="right")
            for index, line in enumerate(lines):
                put_text(figure, MARGIN, base - index * LINE, line)
            y -= LINE * len(lines)


def _pair_text(pair: Pair, numbers: dict[int, int], names: list[str]) -> str:
    what = "fused" if pair.kind == FUSION else "own"
    arrow = f"{numbers[pair.start]}{ARROW}{numbers[pair.end]} {what}:"
    return f"{arrow} {names[pair.start]} {ARROW} {names[pair.end]}"
