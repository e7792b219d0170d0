# SPDX-License-Identifier: Apache-2.0
"""Who looks how: a marker per implementation or op, and what the markers leave of the names."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gk.figures import COLOURS, MARKERS
from gk.points import Point
from gk.results import UNKNOWN

MOST = 20  # series with a marker of their own; what is rarer shares one
OTHERS = "others"


@dataclass(frozen=True, slots=True)
class Marker:
    """How one series looks; `hollow` for what was not measured on the roofs' machine."""

    shape: str
    colour: str
    hollow: bool

    def style(self, size: float = 4.2) -> dict[str, object]:
        """Arguments for a matplotlib line."""
        face = "white" if self.hollow else self.colour
        edges = {"markeredgecolor": self.colour if self.hollow else "white"}
        width = 0.9 if self.hollow else 0.3
        return edges | {
            "marker": self.shape,
            "markersize": size,
            "markerfacecolor": face,
            "markeredgewidth": width,
            "linestyle": "none",
        }


@dataclass(frozen=True, slots=True)
class Series:
    """Who has which marker, and what of the names the markers do not tell."""

    part: str  # implementation or op
    key: dict[str, Marker]
    owners: list[str]  # the series of each point
    of_point: list[Marker]
    shared: str  # what all names have in common, said once
    names: list[str]  # the rest of each name


def series_of(points: Sequence[Point], hollow: bool) -> Series:
    """A marker per implementation, or per op where there is but one implementation.

    `hollow` is for all points; a point without a roof is hollow in any case.
    """
    implementations = {point.case.implementation for point in points}
    part = "implementation" if len(implementations) > 1 else "op"
    owners = [getattr(point.case, part) for point in points]
    markers = _markers(owners, hollow)
    words = [_words(point, without=part) for point in points]
    shared = _shared(words)
    key, names = dict(markers), [_rest(own, shared) for own in words]
    if part == "op":  # what the cases of one op share beyond that stands beside its marker
        by_op = _shared_by_owner(owners, words)
        key = {f"{op} {_rest(by_op.get(op, []), shared)}".strip(): m for op, m in markers.items()}
        names = [_rest(own, [*by_op[op], *shared]) for op, own in zip(owners, words, strict=True)]
    # Cases that differ in their series only are called by its name; those of no series as well.
    names = [
        name if name and owner in markers else f"{owner} {name}".strip()
        for name, owner in zip(names, owners, strict=True)
    ]
    owners = [owner if owner in markers else OTHERS for owner in owners]
    looks = [
        replace(markers[owner], hollow=hollow or not p.has_roof)
        for owner, p in zip(owners, points, strict=True)
    ]
    solid = {owner for owner, look in zip(owners, looks, strict=True) if not look.hollow}
    for name, owner in zip(key, markers, strict=True):
        key[name] = replace(markers[owner], hollow=owner not in solid)
    return Series(part, key, owners, looks, " ".join(shared), names)


def _markers(owners: Sequence[str], hollow: bool) -> dict[str, Marker]:
    ranked = sorted(Counter(owners).items(), key=lambda item: (-item[1], item[0]))
    kept = sorted(owner for owner, _ in ranked[:MOST])
    found = {owner: _marker(i, hollow) for i, owner in enumerate(kept)}
    return found | ({OTHERS: Marker("*", "#000000", hollow)} if len(ranked) > MOST else {})


def _marker(index: int, hollow: bool) -> Marker:
    return Marker(MARKERS[index % len(MARKERS)], COLOURS[index % len(COLOURS)], hollow)


def _words(point: Point, without: str) -> list[str]:
    case = point.case
    if case.implementation == UNKNOWN:  # somebody else's name: nothing is known of its parts
        return [word for word in point.name.split("/")[1:] if word]
    first = {"op": case.op, "implementation": case.implementation, "dtype": case.dtype}
    first.pop(without)
    return [*first.values(), *(f"{key}:{value}" for key, value in case.axes.items()), case.cache]


def _shared(names: Sequence[Sequence[str]]) -> list[str]:
    """The words that stand in all names, unless there is but one name."""
    if len(names) == 1:
        return []
    common = set(names[0]).intersection(*names[1:])
    return [word for word in names[0] if word in common]


def _shared_by_owner(
    owners: Sequence[str], words: Sequence[Sequence[str]]
) -> dict[str, Sequence[str]]:
    grouped = defaultdict(list)
    for owner, own in zip(owners, words, strict=True):
        grouped[owner].append(own)
    return {owner: _shared(group) for owner, group in grouped.items()}


def _rest(words: Sequence[str], without: Sequence[str]) -> str:
    return " ".join(word for word in words if word not in without)
