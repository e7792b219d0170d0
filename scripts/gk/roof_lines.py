# SPDX-License-Identifier: Apache-2.0
"""Which roofs a picture shows: those of the dtypes and read:write mixes of its points."""

from collections.abc import Sequence
from dataclasses import dataclass

from gk.machines import LEVELS, ComputeCeiling, MemoryCeiling
from gk.points import Point
from gk.quantities import BANDWIDTH, PERFORMANCE
from gk.results import UNKNOWN
from gk.roofs import Roofs, fastest, ridge


@dataclass(frozen=True, slots=True)
class RoofLine:
    """One ceiling as it is drawn; `used` when some point belongs to it."""

    ceiling: MemoryCeiling | ComputeCeiling
    label: str
    measured: bool
    used: bool

    @property
    def is_memory(self) -> bool:
        """Slanted, not flat."""
        return isinstance(self.ceiling, MemoryCeiling)

    def at(self, intensity: float) -> float:
        """Its height (FLOP/s) over an intensity (FLOP/byte)."""
        if isinstance(self.ceiling, MemoryCeiling):
            return self.ceiling.bytes_per_s * intensity
        return self.ceiling.flop_per_s


@dataclass(frozen=True, slots=True)
class Ridge:
    """Where a used peak meets DRAM: its intensity (FLOP/byte) and height (FLOP/s)."""

    intensity: float
    height: float


def roof_lines(points: Sequence[Point], sources: Sequence[Roofs]) -> list[RoofLine]:
    """The lines of all `sources`; the points belong to the first of them."""
    return [line for roofs in sources for line in _memory(points, roofs) + _peaks(points, roofs)]


def _memory(points: Sequence[Point], roofs: Roofs) -> list[RoofLine]:
    used = {point.stream for point in points}
    lines = []
    for level in LEVELS:
        streams = [c for c in roofs.memory if c.level == level]
        shown = [c for c in streams if c in used]
        # A level without points still bounds the picture: its purest read stream stands for it.
        shown = shown or sorted(streams, key=lambda c: -c.read_share)[:1]
        lines += [
            RoofLine(c, _memory_label(c, roofs), roofs.measured, c in used or not roofs.measured)
            for c in shown
        ]
    return lines


def _memory_label(ceiling: MemoryCeiling, roofs: Roofs) -> str:
    mix = "read" if ceiling.writes == 0 else f"{ceiling.reads}:{ceiling.writes}"
    level = ceiling.level.upper()
    level = f"{level} {mix}" if roofs.measured else level
    return f"{level} {BANDWIDTH.text(ceiling.bytes_per_s, 4)}"


def _peaks(points: Sequence[Point], roofs: Roofs) -> list[RoofLine]:
    used = {(point.peak.dtype, point.peak.unit) for point in points if point.peak}
    dtypes = {dtype for dtype, _ in used}
    shown = [c for c in roofs.compute if c.dtype in dtypes]
    if any(point.case.dtype == UNKNOWN for point in points):  # then any of them may be the one
        heights = {c.flop_per_s: c for c in reversed(roofs.compute)}
        shown += [c for c in roofs.compute if c in heights.values() and c not in shown]
    return [RoofLine(c, _peak_label(c), roofs.measured, (c.dtype, c.unit) in used) for c in shown]


def _peak_label(ceiling: ComputeCeiling) -> str:
    return f"{ceiling.dtype} {ceiling.unit} {PERFORMANCE.text(ceiling.flop_per_s, 4)}"


def ridges(lines: Sequence[RoofLine]) -> list[Ridge]:
    """The ridge of each used peak of the first source over its DRAM."""
    if not lines:
        return []
    mine = [line for line in lines if line.measured == lines[0].measured]
    streams = [line.ceiling for line in mine if line.is_memory and line.ceiling.level == "dram"]
    stream = fastest(streams)
    peaks = [line.ceiling for line in mine if not line.is_memory and line.used]
    if stream is None:
        return []
    return [Ridge(ridge(peak, stream), peak.flop_per_s) for peak in peaks]
