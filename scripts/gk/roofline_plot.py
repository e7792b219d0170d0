# SPDX-License-Identifier: Apache-2.0
"""The axes of a roofline: roofs, markers, and labels that find their own place."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from gk.figures import COLUMN_PT, FAINT, INK, put_line, put_text, text_width
from gk.layout import Box, Candidate, Placer, around, segment_box
from gk.points import Point
from gk.quantities import INTENSITY, Scale, power_of_two
from gk.roof_lines import RoofLine, ridges
from gk.sheet import Marker

PLOT_HEIGHT = 178.0  # points, of the frame
LEFT, RIGHT, BELOW = 31.0, 9.0, 24.0
TEXT_HEIGHT = 6.2  # of one line's box
CLUSTER = 6.5  # markers nearer than this share a label: about the height of one


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


def draw_roofs(frame: Frame, lines: Sequence[RoofLine]) -> list[str]:
    """Draw and label the roofs; returns the labels for which there was no room."""
    segments = [(line, *_segment(frame.plane.area, line, lines)) for line in lines]
    for line, xs, ys in segments:
        dashes = "-" if line.measured else (0, (4, 2))
        colour, width = (INK, 0.9) if line.used else (FAINT, 0.6)
        frame.axes.plot(xs, ys, color=colour, linewidth=width, linestyle=dashes, zorder=2)
        ends = [frame.plane.place(x, y) for x, y in zip(xs, ys, strict=True)]
        frame.placer.lines.append(segment_box(*ends[0], *ends[1]))
    missing = []
    # From the top down, so that of two close roofs the upper one is labelled above.
    for line, xs, ys in sorted(segments, key=lambda s: (not s[0].used, -s[0].at(1))):
        ends = [frame.plane.place(x, y) for x, y in zip(xs, ys, strict=True)]
        if not line.is_memory:  # its label may begin further left than the roof
            ends[0] = (LEFT, ends[0][1])
        size = Box(0, 0, text_width(line.label), TEXT_HEIGHT)
        at = frame.placer.place(
            size, _along(*ends[0], *ends[1], size, from_right=not line.is_memory)
        )
        if at is None:
            missing.append(line.label)
        else:
            colour = INK if line.used else "0.35"
            _put_label(frame.figure, at, line.label, colour)
    return missing + _draw_ridges(frame, lines)


def _segment(
    area: Limits, line: RoofLine, lines: Sequence[RoofLine]
) -> tuple[list[float], list[float]]:
    """A slope ends at the highest peak of its source; a flat roof begins at the steepest slope."""
    peers = [peer for peer in lines if peer.measured == line.measured]
    if line.is_memory:
        top = max((p.at(1) for p in peers if not p.is_memory), default=area.y1)
        x0, x1 = area.x0, min(area.x1, top / line.at(1))
    else:
        steepest = max((p.at(1) for p in peers if p.is_memory), default=math.inf)
        x0, x1 = max(area.x0, line.at(1) / steepest), area.x1
    return [x0, x1], [line.at(x0), line.at(x1)]


def _along(
    x0: float, y0: float, x1: float, y1: float, size: Box, from_right: bool
) -> Iterator[Candidate]:
    """Places above, then below a line, from one of its ends to the other."""
    length = math.hypot(x1 - x0, y1 - y0)
    dx, dy = ((x1 - x0) / length, (y1 - y0) / length) if length else (1.0, 0.0)
    angle = math.degrees(math.atan2(dy, dx))
    offset = size.height / 2 + 1.3
    start, step, cost = size.width / 2 + 4, 3.0, 0.0
    while start < length - size.width / 2:
        at = length - start if from_right else start
        for side in (1, -1):
            x, y = x0 + dx * at - side * dy * offset, y0 + dy * at + side * dx * offset
            yield Candidate(x, y, cost + (side < 0) * 4, angle)
        start, cost = start + step, cost + 0.25


def _draw_ridges(frame: Frame, lines: Sequence[RoofLine]) -> list[str]:
    missing = []
    for ridge in ridges(lines):
        x, y = frame.plane.place(ridge.intensity, ridge.height)
        text = f"ridge {INTENSITY.text(ridge.intensity)}"
        put_line(frame.figure, [x], [y], marker="|", markersize=5, color=INK, markeredgewidth=0.7)
        size = Box(0, 0, text_width(text), TEXT_HEIGHT)
        at = frame.placer.place(size, around(x, y, size, 3))
        if at is None:
            missing.append(text)
        else:
            _leader(frame.figure, at, size)
            _put_label(frame.figure, at, text, INK)
    return missing


def clusters(plane: Plane, points: Sequence[Point]) -> list[list[int]]:
    """Indices of points whose markers crowd, from left to right and from the top down.

    Numbered in this order a crowd is a range, which one label names.
    """
    places = [plane.place(p.intensity, p.height) for p in points]
    columns = _runs(sorted(range(len(points)), key=lambda i: places[i]), lambda i: places[i][0])
    groups = []
    for column in columns:
        down = sorted(column, key=lambda i: (-places[i][1], places[i][0], i))
        groups += _runs(down, lambda i: -places[i][1])
    return groups


def _runs(indices: Sequence[int], position: Callable[[int], float]) -> list[list[int]]:
    """Cut a sorted sequence where it is CLUSTER away from the start of the present run."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and position(index) - position(runs[-1][0]) < CLUSTER:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs


def draw_markers(frame: Frame, points: Sequence[Point], markers: Sequence[Marker]) -> None:
    """Draw the markers, a ring around each suspect one."""
    for point, marker in zip(points, markers, strict=True):
        x, y = frame.plane.place(point.intensity, point.height)
        put_line(frame.figure, [x], [y], zorder=4, **marker.style())
        if point.suspect:
            ring = {"marker": "o", "markersize": 8, "markerfacecolor": "none", "color": INK}
            put_line(frame.figure, [x], [y], markeredgewidth=0.6, zorder=5, **ring)
        side = 9.0 if point.suspect else 4.6
        frame.placer.markers.append(Box(x, y, side, side))


def draw_numbers(
    frame: Frame, points: Sequence[Point], groups: Sequence[Sequence[int]]
) -> list[str]:
    """Number the clusters, crowded ones on leader lines; returns the numbers without room."""
    missing, first = [], 1
    for group in groups:
        last = first + len(group) - 1
        text = str(first) if last == first else f"{first}\u2013{last}"
        text += "!" if any(points[i].suspect for i in group) else ""
        places = [frame.plane.place(points[i].intensity, points[i].height) for i in group]
        x, y = (sum(values) / len(places) for values in zip(*places, strict=True))
        size = Box(0, 0, text_width(text), TEXT_HEIGHT)
        at = frame.placer.place(size, around(x, y, size, 3.4))
        if at is None:
            missing.append(text)
        else:
            _leader(frame.figure, at, size)
            _put_label(frame.figure, at, text, INK)
        first = last + 1
    return missing


def _put_label(figure: Figure, at: Candidate, text: str, colour: str) -> None:
    middle = {"ha": "center", "va": "center", "rotation_mode": "anchor", "rotation": at.angle}
    halo = [withStroke(linewidth=1.2, foreground="white")]  # where a line must pass behind
    put_text(figure, at.x, at.y, text, color=colour, zorder=6, path_effects=halo, **middle)


def _leader(figure: Figure, at: Candidate, size: Box) -> None:
    """A thin line from the marker to the edge of its label."""
    if at.leader is None:
        return
    dx, dy = at.leader[0] - at.x, at.leader[1] - at.y
    spans = [half / abs(d) for d, half in ((dx, size.width / 2), (dy, size.height / 2)) if d]
    edge = min(1.0, *spans) if spans else 0.0
    xs, ys = [at.leader[0], at.x + edge * dx], [at.leader[1], at.y + edge * dy]
    put_line(figure, xs, ys, color="0.4", linewidth=0.35, zorder=3)
