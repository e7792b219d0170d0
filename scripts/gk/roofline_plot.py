# SPDX-License-Identifier: Apache-2.0
"""The roofs of a picture, with labels that find their own place."""

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass

from gk.figures import FAINT, INK, put_line, text_width
from gk.frame import LEFT, Frame, Limits
from gk.labels import TEXT_HEIGHT, put_label, put_leader
from gk.layout import Box, Candidate, around, segment_box
from gk.quantities import INTENSITY
from gk.roof_lines import RoofLine, ridges

MAX_LABELS = 30  # roofs with a label of their own


@dataclass(frozen=True, slots=True)
class _Request:
    """A label that looks for its place."""

    text: str
    colour: str
    size: Box
    candidates: tuple[Candidate, ...]


def draw_roofs(frame: Frame, lines: Sequence[RoofLine]) -> list[str]:
    """Draw and label the roofs; returns the labels for which there was no room."""
    segments = [(line, *_segment(frame.plane.area, line, lines)) for line in lines]
    for line, xs, ys in segments:
        dashes = "-" if line.measured else (0, (4, 2))
        colour, width = (INK, 0.9) if line.used else (FAINT, 0.6)
        frame.axes.plot(xs, ys, color=colour, linewidth=width, linestyle=dashes, zorder=2)
        ends = [frame.plane.place(x, y) for x, y in zip(xs, ys, strict=True)]
        frame.placer.lines.append(segment_box(*ends[0], *ends[1]))
    # From the top down, so that of two close roofs the upper one is labelled above.
    ordered = sorted(segments, key=lambda s: (not s[0].used, -s[0].at(1)))
    roofs = [_roof_request(frame, *segment) for segment in ordered[:MAX_LABELS]]
    marks = _draw_ridges(frame, lines)
    missing = _place_best(frame, (roofs + marks, marks + roofs))
    more = len(ordered) - MAX_LABELS
    return [*missing, f"{more} more roofs"] if more > 0 else missing


def _place_best(frame: Frame, orders: Sequence[Sequence[_Request]]) -> list[str]:
    """Place the labels in the order that loses the fewest, and disturbs least; draw them."""
    tried = []
    for order in orders:
        placer = copy.deepcopy(frame.placer)
        places = [placer.place(request.size, request.candidates) for request in order]
        tried.append((places.count(None), placer.spent, len(tried), places))
    _, _, best, places = min(tried, key=lambda one: one[:3])
    missing = []
    for request, at in zip(orders[best], places, strict=True):
        if at is None:
            missing.append(request.text)
        else:
            frame.placer.place(request.size, [at])
            put_leader(frame.figure, at, request.size)
            put_label(frame.figure, at, request.text, request.colour)
    return missing


def _roof_request(
    frame: Frame, line: RoofLine, xs: Sequence[float], ys: Sequence[float]
) -> _Request:
    ends = [frame.plane.place(x, y) for x, y in zip(xs, ys, strict=True)]
    if not line.is_memory:  # its label may begin further left than the roof
        ends[0] = (LEFT, ends[0][1])
    size = Box(0, 0, text_width(line.label), TEXT_HEIGHT)
    candidates = _along(*ends[0], *ends[1], size, from_right=not line.is_memory)
    return _Request(line.label, INK if line.used else "0.35", size, tuple(candidates))


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
) -> list[Candidate]:
    """Places above, then below a line, from one of its ends to the other.

    A little further off as well, where markers that stand on the line stay free.
    """
    length = math.hypot(x1 - x0, y1 - y0)
    dx, dy = ((x1 - x0) / length, (y1 - y0) / length) if length else (1.0, 0.0)
    angle = math.degrees(math.atan2(dy, dx))
    found = []
    start, cost = size.width / 2 + 4, 0.0
    while start < length - size.width / 2:
        at = length - start if from_right else start
        for side, gap, more in ((1, 1.3, 0.0), (-1, 1.3, 4.0), (1, 3.4, 6.0), (-1, 3.4, 8.0)):
            offset = side * (size.height / 2 + gap)
            x, y = x0 + dx * at - dy * offset, y0 + dy * at + dx * offset
            found.append(Candidate(x, y, cost + more, angle))
        start, cost = start + 3.0, cost + 0.25
    return sorted(found, key=lambda candidate: candidate.cost)


def _draw_ridges(frame: Frame, lines: Sequence[RoofLine]) -> list[_Request]:
    requests = []
    for ridge in ridges(lines):
        x, y = frame.plane.place(ridge.intensity, ridge.height)
        put_line(frame.figure, [x], [y], marker="|", markersize=5, color=INK, markeredgewidth=0.7)
        text = f"ridge {INTENSITY.text(ridge.intensity)}"
        size = Box(0, 0, text_width(text), TEXT_HEIGHT)
        requests.append(_Request(text, INK, size, tuple(around(x, y, size, 3))))
    return requests
