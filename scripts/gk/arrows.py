# SPDX-License-Identifier: Apache-2.0
"""Arrows between the points of a pair, with the gain beside them while there are few."""

from collections import defaultdict
from collections.abc import Sequence

from matplotlib.patches import FancyArrowPatch

from gk.figures import points as in_points
from gk.frame import Frame
from gk.labels import label_around
from gk.layout import segment_box
from gk.pairs import FUSION, Pair
from gk.points import Point

MOST_LABELS = 4  # with more arrows the table alone says the gains
_ASIDE = 1.7  # the two kinds run side by side
_SHORTEST = 5.0  # an arrow that its markers would hide


def draw_arrows(
    frame: Frame, points: Sequence[Point], pairs: Sequence[Pair], groups: Sequence[Sequence[int]]
) -> list[str]:
    """Draw the pairs whose ends are numbered; returns the labels for which there was no room."""
    group_of = {index: number for number, group in enumerate(groups) for index in group}
    together = defaultdict(list)
    for pair in pairs:
        if pair.start in group_of and pair.end in group_of:
            together[pair.kind, group_of[pair.start], group_of[pair.end]].append(pair)
    drawn = [(own, *_arrow(frame, points, own[0])) for own in together.values()]
    if len(drawn) > MOST_LABELS:
        return []
    return [text for own, x, y in drawn if not label_around(frame, text := _text(own), (x, y), 4)]


def _arrow(frame: Frame, points: Sequence[Point], pair: Pair) -> tuple[float, float]:
    """Draw one arrow; returns its middle."""
    aside = -_ASIDE if pair.kind == FUSION else _ASIDE
    ends = [points[pair.start], points[pair.end]]
    (x0, y0), (x1, y1) = (frame.plane.place(end.intensity, end.height) for end in ends)
    middle = ((x0 + x1) / 2 + aside, (y0 + y1) / 2)
    if abs(y1 - y0) + abs(x1 - x0) < _SHORTEST:
        return middle
    arrow = FancyArrowPatch(
        (x0 + aside, y0),
        (x1 + aside, y1),
        arrowstyle="-|>,head_length=2.2,head_width=1.1",
        mutation_scale=1,
        shrinkA=2,
        shrinkB=2,
        linewidth=0.6,
        linestyle=(0, (2, 1)) if pair.kind == FUSION else "-",
        color="0.25",
        transform=in_points(frame.figure),
        zorder=3.5,
    )
    frame.figure.add_artist(arrow)
    frame.placer.lines.append(segment_box(x0 + aside, y0, x1 + aside, y1))
    return middle


def _text(pairs: Sequence[Pair]) -> str:
    """`1.21-1.26x measured, 1.00x predicted` for arrows that lie on each other."""
    what = "fused" if pairs[0].kind == FUSION else "own"
    measured = _span([pair.measured.factor for pair in pairs if pair.measured])
    predicted = _span([pair.predicted for pair in pairs if pair.predicted is not None])
    return f"{what} \u00d7{measured} (predicted {predicted})"


def _span(values: Sequence[float]) -> str:
    if not values:
        return "?"
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low}\u2013{high}"
