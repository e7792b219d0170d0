# SPDX-License-Identifier: Apache-2.0
"""The markers of a roofline: numbered ones, and the crowd that is too large for numbers."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

from matplotlib.collections import PolyCollection

from gk.figures import INK, put_line
from gk.figures import points as in_points
from gk.frame import Frame, Plane
from gk.labels import label_around
from gk.layout import Box
from gk.pairs import Pair
from gk.points import Point
from gk.series import Marker

# Markers nearer than this share a label: they touch; one above another, their labels would.
CLUSTER_X, CLUSTER_Y = 4.0, 6.5
MAX_NUMBERED = 60  # points that all have a number and a line in the table
NUMBERED_OF_MANY = 24  # of more points than that
MAX_MARKERS = 400  # a larger crowd is drawn as density
CELL = 3.0  # side of one cell of the density
_MOST_OBSTACLES = 60


def numbered(
    points: Sequence[Point], owners: Sequence[str], pairs: Sequence[Pair] = ()
) -> list[int]:
    """Indices of the points that get a number and a line in the table.

    All of them where there is room; else the ends of the pairs that gain or lose most, then
    suspect ones, then by turns the lowest and the highest percentage of each series.
    """
    if len(points) <= MAX_NUMBERED:
        return list(range(len(points)))
    telling = sorted(pairs, key=lambda pair: -abs(math.log(pair.factor)))
    ends = [index for pair in telling for index in (pair.start, pair.end)]
    suspects = [i for i, point in enumerate(points) if point.suspect][: NUMBERED_OF_MANY // 2]
    series = defaultdict(list)
    for index, owner in enumerate(owners):
        series[owner].append(index)
    ranked = [_from_both_ends(points, own) for _, own in sorted(series.items())]
    turns = (own[i] for i in range(max(map(len, ranked))) for own in ranked if i < len(own))
    found = dict.fromkeys([*ends[:NUMBERED_OF_MANY], *suspects])
    found.update(dict.fromkeys(islice(turns, NUMBERED_OF_MANY)))
    return sorted(islice(found, NUMBERED_OF_MANY))


def _from_both_ends(points: Sequence[Point], indices: Sequence[int]) -> list[int]:
    ordered = sorted(indices, key=lambda i: (points[i].percent is None, points[i].percent or 0, i))
    low, high = ordered[:NUMBERED_OF_MANY], ordered[::-1][:NUMBERED_OF_MANY]
    return list(dict.fromkeys(i for pair in zip(low, high, strict=True) for i in pair))


def clusters(plane: Plane, points: Sequence[Point], chosen: Sequence[int]) -> list[list[int]]:
    """The chosen indices grouped where markers crowd, from left to right and from the top down.

    Numbered in this order a crowd is a range, which one label names.
    """
    places = {i: plane.place(points[i].intensity, points[i].height) for i in chosen}
    across = sorted(chosen, key=lambda i: places[i])
    groups = []
    for column in _runs(across, {i: x for i, (x, _) in places.items()}, CLUSTER_X):
        down = sorted(column, key=lambda i: (-places[i][1], places[i][0], i))
        groups += _runs(down, {i: -y for i, (_, y) in places.items()}, CLUSTER_Y)
    return groups


def _runs(order: Sequence[int], positions: Mapping[int, float], reach: float) -> list[list[int]]:
    """Cut a sorted sequence where it is `reach` away from the start of the present run."""
    runs: list[list[int]] = []
    for index in order:
        if runs and positions[index] - positions[runs[-1][0]] < reach:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs


def draw_markers(
    frame: Frame, points: Sequence[Point], markers: Sequence[Marker], chosen: Sequence[int]
) -> None:
    """Draw the numbered markers, a ring around each suspect one."""
    for index in chosen:
        x, y = frame.plane.place(points[index].intensity, points[index].height)
        put_line(frame.figure, [x], [y], zorder=4, **markers[index].style())
        if points[index].suspect:
            ring = {"marker": "o", "markersize": 8, "markerfacecolor": "none", "color": INK}
            put_line(frame.figure, [x], [y], markeredgewidth=0.6, zorder=5, **ring)


def keep_clear(
    frame: Frame, points: Sequence[Point], chosen: Sequence[int], crowd: Sequence[int]
) -> None:
    """Make labels avoid the numbered markers, and the thick of the crowd."""
    for index in chosen:
        x, y = frame.plane.place(points[index].intensity, points[index].height)
        side = 9.0 if points[index].suspect else 4.6
        frame.placer.markers.append(Box(x, y, side, side))
    cells = _cells(frame.plane, points, crowd, 3 * CELL).most_common(_MOST_OBSTACLES)
    frame.placer.markers += [Box(*middle, 3 * CELL, 3 * CELL) for middle, _ in cells]


def draw_crowd(
    frame: Frame, points: Sequence[Point], markers: Sequence[Marker], crowd: Sequence[int]
) -> None:
    """Draw what has no number: small markers, or a shade."""
    if len(crowd) > MAX_MARKERS:
        _draw_density(frame, points, crowd)
        return
    together = defaultdict(list)
    for index in crowd:
        place = frame.plane.place(points[index].intensity, points[index].height)
        together[markers[index]].append(place)
    for marker, places in together.items():
        put_line(frame.figure, *zip(*places, strict=True), zorder=3, **marker.style(2.6))


def darkest(plane: Plane, points: Sequence[Point], crowd: Sequence[int]) -> int:
    """Points in the darkest cell; 0 where the crowd is drawn as markers."""
    if len(crowd) <= MAX_MARKERS:
        return 0
    return max(_cells(plane, points, crowd, CELL).values())


def _draw_density(frame: Frame, points: Sequence[Point], crowd: Sequence[int]) -> None:
    cells = _cells(frame.plane, points, crowd, CELL)
    steps = math.log(max(cells.values()) + 1)
    shades = [str(round(0.78 - 0.68 * math.log(count) / steps, 3)) for count in cells.values()]
    half = CELL / 2
    corners = [
        [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
        for x, y in cells
    ]
    frame.figure.add_artist(
        PolyCollection(
            corners, facecolors=shades, linewidths=0, transform=in_points(frame.figure), zorder=2.5
        )
    )


def _cells(
    plane: Plane, points: Sequence[Point], indices: Sequence[int], side: float
) -> Counter[tuple[float, float]]:
    """Points per cell, by the cell's middle; the cells' grid begins at the frame's corner."""
    found: Counter[tuple[float, float]] = Counter()
    for index in indices:
        x, y = plane.place(points[index].intensity, points[index].height)
        row = (y - plane.bottom) // side
        found[(x // side + 0.5) * side, plane.bottom + (row + 0.5) * side] += 1
    return found


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
        if not label_around(frame, text, (x, y), gap=3.4, gid=f"{first}-{last}"):
            missing.append(text)
        first = last + 1
    return missing
