# SPDX-License-Identifier: Apache-2.0
"""What stands in the frame of a roofline: roofs, markers, and labels that find their own place."""

import math
from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from gk.figures import FAINT, INK, put_line, put_text, text_width
from gk.frame import LEFT, Frame, Limits, Plane
from gk.layout import Box, Candidate, around, segment_box
from gk.points import Point
from gk.quantities import INTENSITY
from gk.roof_lines import RoofLine, ridges
from gk.sheet import Marker

TEXT_HEIGHT = 6.2  # of one line's box
# Markers nearer than this share a label: they touch; one above another, their labels would.
CLUSTER_X, CLUSTER_Y = 4.0, 6.5


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
    across = sorted(range(len(points)), key=lambda i: places[i])
    groups = []
    for column in _runs(across, [x for x, _ in places], CLUSTER_X):
        down = sorted(column, key=lambda i: (-places[i][1], places[i][0], i))
        groups += _runs(down, [-y for _, y in places], CLUSTER_Y)
    return groups


def _runs(order: Sequence[int], positions: Sequence[float], reach: float) -> list[list[int]]:
    """Cut a sorted sequence where it is `reach` away from the start of the present run."""
    runs: list[list[int]] = []
    for index in order:
        if runs and positions[index] - positions[runs[-1][0]] < reach:
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
