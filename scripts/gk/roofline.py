# SPDX-License-Identifier: Apache-2.0
"""A roofline as one page: heading, plot, key, table, notes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from gk import figures, frame, roofline_plot
from gk.figures import COLUMN_PT
from gk.frame import BELOW, PLOT_HEIGHT, Plane
from gk.points import Point
from gk.quantities import PERFORMANCE, Scale
from gk.roof_lines import RoofLine, roof_lines
from gk.roofs import Roofs
from gk.sheet import Key, Lines, Table, TableRow, series_of, title


@dataclass(frozen=True, slots=True)
class Picture:
    """What to draw. The points belong to the first of the `sources` of roofs."""

    title: str
    subtitle: str
    points: tuple[Point, ...]
    sources: tuple[Roofs, ...]
    hollow: bool  # a projection, or nothing measured
    notes: tuple[str, ...] = ()


def draw(picture: Picture) -> Figure:
    """Draw `picture`; call it and save the figure inside `figures.style()`."""
    lines = roof_lines(picture.points, picture.sources)
    area = frame.limits(picture.points, lines)
    groups = roofline_plot.clusters(Plane(area, bottom=0), picture.points)
    scale = _scale(picture.points)
    page = _Page(picture, lines, [index for group in groups for index in group], scale)
    figure = figures.new_figure(page.height)
    plot = frame.new_frame(figure, page.plot_top, area, scale)
    roofline_plot.draw_markers(plot, picture.points, page.series.of_point)
    missing = roofline_plot.draw_roofs(plot, lines)
    missing += roofline_plot.draw_numbers(plot, picture.points, groups)
    page.draw(figure, missing)
    return figure


def _scale(points: Sequence[Point]) -> Scale:
    """One prefix for axis and table, which fits the middle of the points."""
    heights = [point.height for point in points]
    return PERFORMANCE.scale([math.sqrt(min(heights) * max(heights))])


class _Page:
    """The blocks above and below the plot, and how tall all of it is."""

    def __init__(
        self, picture: Picture, lines: Sequence[RoofLine], order: Sequence[int], scale: Scale
    ) -> None:
        self.series = series_of(picture.points, picture.hollow)
        names, markers = self.series.names, self.series.of_point
        rows = [
            TableRow(number, names[i], markers[i], picture.points[i])
            for number, i in enumerate(order, start=1)
        ]
        subtitle = ": ".join(filter(None, (picture.subtitle, self.series.shared)))
        self._above = [title(picture.title), Lines([subtitle])]
        notes = Lines(_roof_notes(picture.sources, lines) + _point_notes(picture, order))
        self._below = [Key(self.series.key), Table(rows, scale), notes]
        # One line is kept free for labels that may find no room in the plot.
        self.height = sum(block.height for block in self._above + self._below)
        self.height += PLOT_HEIGHT + BELOW + 4 + 8
        self.plot_top = self.height - 4 - sum(block.height for block in self._above)

    def draw(self, figure: Figure, missing: Sequence[str]) -> None:
        top = self.height - 2
        for block in self._above:
            block.draw(figure, top)
            top -= block.height
        top = self.plot_top - PLOT_HEIGHT - BELOW
        for block in self._below:
            block.draw(figure, top)
            top -= block.height
        if missing:
            text = figures.wrap("no room for: " + ", ".join(missing), COLUMN_PT - 6)[0]
            figures.put_text(figure, 3, top - 6, text)


def _roof_notes(sources: Sequence[Roofs], lines: Sequence[RoofLine]) -> list[str]:
    """What the lines are: source, dense or sparse, clock."""
    notes = []
    for roofs in sources:
        if roofs.measured:
            notes += ["Solid: measured in this run."] if lines else ["No roof was measured."]
        else:
            notes.append(f"Dashed: datasheet: {roofs.source}.")
    if any(not line.used for line in lines):
        notes.append("Grey: a roof to which no point belongs.")
    if any(line.is_memory and line.ceiling.writes for line in lines):
        notes.append("1:1 and the like: reads to writes.")
    return [" ".join(notes)]


def _point_notes(picture: Picture, order: Sequence[int]) -> list[str]:
    notes = list(picture.notes)
    for number, index in enumerate(order, start=1):
        point = picture.points[index]
        if point.suspect:
            notes.append(f"{number}! suspect: {point.suspect}")
        if point.note:
            notes.append(f"{number}: {point.note}")
    return notes
