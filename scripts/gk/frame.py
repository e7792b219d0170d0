# SPDX-License-Identifier: Apache-2.0
"""The frame of a roofline: limits, ticks, and where data lies on the page."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from gk.figures import COLUMN_PT, text_width
from gk.layout import Box, Placer
from gk.points import Point
from gk.quantities import INTENSITY, Scale, power_of_two
from gk.roof_lines import RoofLine, ridges

PLOT_HEIGHT = 178.0  # points, of the frame
LEFT, RIGHT, BELOW = 31.0, 9.0, 24.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What the axes show; x in FLOP/byte, y in FLOP/s."""

    x0: float
    x1: float
    y0: float
    y1: float


def limits(points: Sequence[Point], lines: Sequence[RoofLine]) -> Limits:
    """Every roof and every point fit, with room for labels above the highest roof."""
    tops = [ridge.intensity for ridge in ridges(lines)]
    xs = [point.intensity for point in points] + tops
    x0 = 2.0 ** (math.floor(math.log2(min(xs)) + 0.5) - 1)
    x1 = 2.0 ** (math.ceil(math.log2(max(xs)) - 0.5) + 2)
    ys = [point.height for point in points]
    peaks = [line.at(x1) for line in lines if not line.is_memory]
    slopes = [line.at(x0) for line in lines if line.is_memory]
    return Limits(x0, x1, min(ys + slopes) / 1.7, max(ys + peaks) * 2.5)


@dataclass(frozen=True, slots=True)
class Plane:
    """Where data lies on the page: the frame's bottom edge and its limits."""

    area: Limits
    bottom: float
    width: float = COLUMN_PT - LEFT - RIGHT

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Page coordinates of data, in points."""
        area = self.area
        u = math.log(x / area.x0) / math.log(area.x1 / area.x0)
        v = math.log(y / area.y0) / math.log(area.y1 / area.y0)
        return LEFT + u * self.width, self.bottom + v * PLOT_HEIGHT

    @property
    def bounds(self) -> Box:
        """The frame, less the line around it."""
        middle = LEFT + self.width / 2, self.bottom + PLOT_HEIGHT / 2
        return Box(*middle, self.width - 2, PLOT_HEIGHT - 2)


@dataclass(frozen=True, slots=True)
class Frame:
    """A plane with its axes, and the placer of the labels in it."""

    figure: Figure
    axes: Axes
    plane: Plane
    placer: Placer


def new_frame(figure: Figure, top: float, area: Limits, scale: Scale) -> Frame:
    """Empty axes whose upper edge lies at `top`."""
    plane = Plane(area, top - PLOT_HEIGHT)
    width, height = figure.get_size_inches() * 72
    rect = (LEFT / width, plane.bottom / height, plane.width / width, PLOT_HEIGHT / height)
    axes = figure.add_axes(rect)
    _set_up(axes, plane, scale)
    return Frame(figure, axes, plane, Placer(plane.bounds))


def _set_up(axes: Axes, plane: Plane, scale: Scale) -> None:
    area = plane.area
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(area.x0, area.x1)
    axes.set_ylim(area.y0, area.y1)
    exponents = range(round(math.log2(area.x0)), round(math.log2(area.x1)) + 1)
    axes.xaxis.set_major_locator(FixedLocator([2.0**e for e in exponents]))
    axes.xaxis.set_major_formatter(FixedFormatter(_doubling_labels(exponents, plane.width)))
    heights = _height_ticks(area)
    axes.yaxis.set_major_locator(FixedLocator(heights))
    axes.yaxis.set_major_formatter(FixedFormatter([scale.text(y, 1) for y in heights]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.tick_params(length=2, width=0.4, pad=2)
    axes.grid(color="0.9", linewidth=0.4)
    axes.set_axisbelow(True)
    axes.set_xlabel(INTENSITY.scale([1.0]).label, labelpad=1.5)
    axes.set_ylabel(scale.label, labelpad=1.5)


def _height_ticks(area: Limits) -> list[float]:
    """Decades; with 2 and 5 between them where there are fewer than two."""
    decades = range(math.floor(math.log10(area.y0)), math.ceil(math.log10(area.y1)) + 1)
    for steps in ((1,), (1, 2, 5)):
        ticks = [step * 10.0**d for d in decades for step in steps]
        inside = [y for y in ticks if area.y0 <= y <= area.y1]
        if len(inside) > 1:
            break
    return inside


def _doubling_labels(exponents: range, width: float) -> list[str]:
    """A tick at each doubling; every label, or every second (third, ...) where they would touch."""
    spacing = width / (len(exponents) - 1)
    for step in range(1, len(exponents) + 1):
        labels = [power_of_two(e) if e % step == 0 else "" for e in exponents]
        widths = [text_width(label) for label in labels if label]
        if all((a + b) / 2 + 2 <= spacing * step for a, b in pairwise(widths)):
            break
    return labels
