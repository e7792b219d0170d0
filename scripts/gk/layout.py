# SPDX-License-Identifier: Apache-2.0
"""Text that never overlaps: oriented boxes, a measure of overlaps, and a placer of labels.

All lengths are in points (1/72 inch), with the origin at the figure's lower left corner.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle around (x, y), turned by `angle` degrees."""

    x: float
    y: float
    width: float
    height: float
    angle: float = 0.0
    radius: float = field(init=False)  # of the circle around it: cheap to reject with

    def __post_init__(self) -> None:
        """Once, as a box is compared with hundreds."""
        object.__setattr__(self, "radius", math.hypot(self.width, self.height) / 2)

    def corners(self) -> list[tuple[float, float]]:
        """The four corners."""
        c, s = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        half = [(sx * self.width / 2, sy * self.height / 2) for sx, sy in _SIGNS]
        return [(self.x + c * u - s * v, self.y + s * u + c * v) for u, v in half]

    def padded(self, beside: float, above: float) -> "Box":
        """With air on both sides, and above and below."""
        width, height = self.width + 2 * beside, self.height + 2 * above
        return Box(self.x, self.y, width, height, self.angle)

    def inside(self, other: "Box") -> bool:
        """Whether it lies within `other`, which is not turned."""
        return all(
            abs(x - other.x) <= other.width / 2 and abs(y - other.y) <= other.height / 2
            for x, y in self.corners()
        )

    def overlaps(self, other: "Box") -> bool:
        """Whether the two share an area: no axis separates them."""
        dx, dy, reach = self.x - other.x, self.y - other.y, self.radius + other.radius
        if dx * dx + dy * dy >= reach * reach:
            return False
        mine, theirs = self.corners(), other.corners()
        return not any(
            _separates(math.radians(box.angle + turn), mine, theirs)
            for box in (self, other)
            for turn in (0, 90)
        )


_SIGNS = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def _separates(angle: float, first: list, second: list) -> bool:
    c, s = math.cos(angle), math.sin(angle)
    a = [c * x + s * y for x, y in first]
    b = [c * x + s * y for x, y in second]
    return max(a) <= min(b) or max(b) <= min(a)


def segment_box(x0: float, y0: float, x1: float, y1: float, width: float = 0.5) -> Box:
    """A line as a thin box."""
    angle = math.degrees(math.atan2(y1 - y0, x1 - x0))
    return Box((x0 + x1) / 2, (y0 + y1) / 2, math.hypot(x1 - x0, y1 - y0), width, angle)


class Ruler:
    """Measures text as the renderer would set it."""

    def __init__(self, figure: Figure) -> None:
        canvas = figure.canvas
        if not isinstance(canvas, FigureCanvasAgg):
            canvas = FigureCanvasAgg(figure)
        self._renderer, self._scale = canvas.get_renderer(), 72.0 / figure.dpi

    def box(self, text: Text) -> Box:
        """The oriented box of a text artist."""
        rotation = text.get_rotation()
        around = text.get_window_extent(self._renderer)
        text.set_rotation(0)
        flat = text.get_window_extent(self._renderer)
        text.set_rotation(rotation)
        middle = (around.x0 + around.x1) / 2, (around.y0 + around.y1) / 2
        sizes = flat.width * self._scale, flat.height * self._scale
        return Box(middle[0] * self._scale, middle[1] * self._scale, *sizes, rotation)


def visible_texts(figure: Figure) -> Iterator[Text]:
    """Every text artist that the figure shows, tick labels included."""
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip():
            yield text


def overlapping_texts(figure: Figure) -> list[tuple[str, str]]:
    """The pairs of texts that overlap, measured with the renderer; a good figure has none."""
    figure.canvas.draw()
    ruler = Ruler(figure)
    boxes = [(text.get_text(), ruler.box(text)) for text in visible_texts(figure)]
    return [(a, b) for (a, p), (b, q) in combinations(boxes, 2) if p.overlaps(q)]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place for a label's middle; `leader` is the point that a line would join it to."""

    x: float
    y: float
    cost: float
    angle: float = 0.0
    leader: tuple[float, float] | None = None


# Air around a label. Renderers differ by less; two labels in one line must not read as one.
_BESIDE, _ABOVE = 2.0, 0.8
_MARKER_COST, _LINE_COST, _LEADER_COST, _BEHIND_COST = 60.0, 14.0, 30.0, 90.0


@dataclass
class Placer:
    """Puts labels where they hit no text; markers and lines are avoided at a cost."""

    bounds: Box
    texts: list[Box] = field(default_factory=list)
    markers: list[Box] = field(default_factory=list)
    lines: list[Box] = field(default_factory=list)
    leaders: list[Box] = field(default_factory=list)
    spent: float = 0.0  # the cost of all places so far

    def place(self, size: Box, candidates: Iterable[Candidate]) -> Candidate | None:
        """The cheapest free candidate for a label of `size`, which it then occupies, or None.

        Candidates come with rising cost, so that the search may stop early.
        """
        best, best_cost = None, math.inf
        for candidate in candidates:
            if candidate.cost >= best_cost:
                break
            cost = self._cost(size, candidate)
            if cost < best_cost:
                best, best_cost = candidate, cost
        if best is not None:
            self.spent += best_cost
            self.texts.append(self._box(size, best))
            if best.leader:
                self.leaders.append(segment_box(*best.leader, best.x, best.y))
        return best

    def _box(self, size: Box, at: Candidate) -> Box:
        return Box(at.x, at.y, size.width, size.height, at.angle).padded(_BESIDE, _ABOVE)

    def _cost(self, size: Box, candidate: Candidate) -> float:
        box = self._box(size, candidate)
        if not box.inside(self.bounds) or any(map(box.overlaps, self.texts)):
            return math.inf
        cost = candidate.cost
        cost += _MARKER_COST * sum(map(box.overlaps, self.markers))
        cost += _LINE_COST * sum(map(box.overlaps, self.lines))
        cost += _LEADER_COST * sum(map(box.overlaps, self.leaders))
        if candidate.leader:
            leader = segment_box(*candidate.leader, candidate.x, candidate.y)
            # Behind a text, whose halo keeps it readable: better than no label at all.
            cost += _BEHIND_COST * sum(map(leader.overlaps, self.texts))
            cost += _LEADER_COST * sum(map(leader.overlaps, self.leaders))
            cost += 2.0 * sum(map(leader.overlaps, self.markers))
        return cost


def around(x: float, y: float, size: Box, gap: float) -> Iterator[Candidate]:
    """Places in growing rings around a point; far ones get a leader line.

    `gap` is the distance from the point to the nearest edge or corner of the label.
    """
    reach = gap
    while reach < 140:
        leader = (x, y) if reach > 1.5 * gap else None
        for step in range(24):
            c, s = (f(math.radians(15 * step - 45)) for f in (math.cos, math.sin))
            dx = c * reach + _clamp(1.6 * c) * size.width / 2
            dy = s * reach + _clamp(1.6 * s) * size.height / 2
            yield Candidate(x + dx, y + dy, reach, leader=leader)
        beside = x + gap + size.width / 2  # a crowd fans out in a column on its right
        for dy in (-reach, reach):
            yield Candidate(beside, y + dy, reach, leader=leader)
        reach *= 1.3


def _clamp(value: float) -> float:
    return max(-1.0, min(1.0, value))
