# SPDX-License-Identifier: Apache-2.0
"""A roofline as one page: heading, plot, key, tables, notes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from gk import arrows, figures, frame, marks, roofline_plot
from gk.figures import COLUMN_PT
from gk.frame import BELOW, PLOT_HEIGHT, Frame, Plane
from gk.notes import crowd_notes, point_notes, roof_notes
from gk.pairs import Pair
from gk.points import Point
from gk.quantities import PERFORMANCE, Scale
from gk.roof_lines import RoofLine, roof_lines
from gk.roofs import Roofs
from gk.series import Series, series_of
from gk.sheet import Key, Lines, PairTable, Table, TableRow, title


@dataclass(frozen=True, slots=True)
class Picture:
    """What to draw. The points belong to the first of the `sources` of roofs."""

    title: str
    subtitle: str
    points: tuple[Point, ...]
    sources: tuple[Roofs, ...]
    hollow: bool  # a projection, or nothing measured
    notes: tuple[str, ...] = ()
    pairs: tuple[Pair, ...] = ()  # drawn as arrows


@dataclass(frozen=True, slots=True)
class Plot:
    """What a picture shows, decided before anything is drawn."""

    picture: Picture
    lines: Sequence[RoofLine]
    area: frame.Limits
    scale: Scale
    series: Series
    groups: Sequence[Sequence[int]]  # the numbered points, by cluster
    order: Sequence[int]  # the same, flat: the n-th has number n + 1
    crowd: Sequence[int]  # the points without a number
    darkest: int  # points in the darkest cell of the shade; 0 without one


def plan(picture: Picture) -> Plot:
    """Choose roofs, limits, units, markers and numbers."""
    points = picture.points
    lines = roof_lines(points, picture.sources)
    area = frame.limits(points, lines)
    series = series_of(points, picture.hollow)
    chosen = marks.numbered(points, series.owners, picture.pairs)
    plane = Plane(area, bottom=0)
    groups = marks.clusters(plane, points, chosen)
    order = [index for group in groups for index in group]
    crowd = sorted(set(range(len(points))).difference(order))
    darkest = marks.darkest(plane, points, crowd)
    return Plot(picture, lines, area, _scale(points), series, groups, order, crowd, darkest)


def _scale(points: Sequence[Point]) -> Scale:
    """One prefix for axis and table, which fits the middle of the points."""
    heights = [point.height for point in points]
    return PERFORMANCE.scale([math.sqrt(min(heights) * max(heights))])


def draw(picture: Picture) -> Figure:
    """Draw `picture`; call it and save the figure inside `figures.style()`."""
    plot = plan(picture)
    page = _Page(plot)
    figure = figures.new_figure(page.height)
    area = frame.new_frame(figure, page.plot_top, plot.area, plot.scale)
    points, markers = picture.points, plot.series.of_point
    marks.draw_crowd(area, points, markers, plot.crowd)
    marks.draw_markers(area, points, markers, plot.order)
    page.draw(figure, draw_labels(area, plot))
    return figure


def draw_labels(area: Frame, plot: Plot) -> list[str]:
    """Roofs, arrows and every label; returns the labels for which there was no room."""
    points = plot.picture.points
    marks.keep_clear(area, points, plot.order, plot.crowd)
    missing = roofline_plot.draw_roofs(area, plot.lines)
    missing += arrows.draw_arrows(area, points, plot.picture.pairs, plot.groups)
    return missing + marks.draw_numbers(area, points, plot.groups)


class _Page:
    """The blocks above and below the plot, and how tall all of it is."""

    def __init__(self, plot: Plot) -> None:
        picture, names, order = plot.picture, plot.series.names, plot.order
        rows = [
            TableRow(number, names[i], plot.series.of_point[i], picture.points[i])
            for number, i in enumerate(order, start=1)
        ]
        numbers = {index: number for number, index in enumerate(order, start=1)}
        pairs = [p for p in picture.pairs if p.start in numbers and p.end in numbers]
        subtitle = ": ".join(filter(None, (picture.subtitle, plot.series.shared)))
        self._above = [title(picture.title), Lines([subtitle])]
        notes = [*roof_notes(picture.sources, plot.lines), *crowd_notes(plot, len(pairs))]
        notes += [*picture.notes, *point_notes(picture.points, order)]
        tables = [Table(rows, plot.scale), PairTable(pairs, numbers, _pair_names(plot))]
        self._below = [Key(plot.series.key), *tables, Lines(notes)]
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
            text = "no room for: " + ", ".join(missing)
            line, *more = figures.wrap(text, COLUMN_PT - 12)
            figures.put_text(figure, 3, top - 6, line + ("..." if more else ""))


def _pair_names(plot: Plot) -> list[str]:
    """What tells the two ends of a pair apart: their implementations."""
    return [point.case.implementation for point in plot.picture.points]
