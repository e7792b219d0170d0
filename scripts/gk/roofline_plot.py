# SPDX-License-Identifier: Apache-2.0
"""The roofs of a picture, with labels that find their own place."""

import math
from collections.abc import Iterator, Sequence

from gk.figures import FAINT, INK, put_line, text_width
from gk.frame import LEFT, Frame, Limits
from gk.labels import TEXT_HEIGHT, label_around, put_label
from gk.layout import Box, Candidate, segment_box
from gk.quantities import INTENSITY
from gk.roof_lines import RoofLine, ridges

MAX_LABELS = 30  # roofs with a label of their own


def draw_roofs(frame: Frame, lines: Sequence[RoofLine]) -> list[str]:
    """Draw and label the roofs; returns the labels for which there was no room."""
    segments = [(line, *_segment(frame.plane.area, line, lines)) for line in lines]
    for line, xs, ys in segments:
        dashes = "-" if line.measured else (0, (4, 2))
        colour, width = (INK, 0.9) if line.used else (FAINT, 0.6)
        frame.axes.plot(xs, ys, color=colour, linewidth=width, linestyle=dashes, zorder=2)
        ends = [frame.plane.place(x, y) for x, y in zip(xs, ys, strict=True)]
        frame.placer.lines.append(segment_box(*ends[0], *ends[1]))
    missing = _draw_ridges(frame, lines)  # first, as they have least choice
    # From the top down, so that of two close roofs the upper one is labelled above.
    ordered = sorted(segments, key=lambda s: (not s[0].used, -s[0].at(1)))
    if len(ordered) > MAX_LABELS:
        missing.append(f"{len(ordered) - MAX_LABELS} more roofs")
    for line, xs, ys in ordered[:MAX_LABELS]:
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
            put_label(frame.figure, at, line.label, colour)
    return missing


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
        if not label_around(frame, text, (x, y), gap=3):
            missing.append(text)
    return missing
