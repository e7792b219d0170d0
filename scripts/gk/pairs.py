# SPDX-License-Identifier: Apache-2.0
"""Pairs of points: unfused to fused, and vendor to own, with the gain predicted and measured."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gk.chains import Chain, chain_of
from gk.machines import LEVELS
from gk.names import is_own, is_unfused
from gk.points import Point
from gk.results import Context, Work
from gk.roofs import Roofs

FUSION, VENDOR = "fusion", "vendor"


@dataclass(frozen=True, slots=True)
class Gain:
    """A factor of time saved; above 1 is faster. `low` and `high`: 10th and 90th percentile."""

    factor: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.factor:.2f}"
        return f"{self.factor:.2f} ({self.low:.2f} to {self.high:.2f})"


@dataclass(frozen=True, slots=True)
class Pair:
    """An arrow between two points, given by their indices."""

    kind: str  # FUSION or VENDOR
    start: int
    end: int
    measured: Gain | None  # None: nothing was measured
    predicted: float | None
    why: str  # what the prediction rests on, or why there is none

    @property
    def factor(self) -> float:
        """The gain as measured, else as predicted; 1 where neither is known."""
        return self.measured.factor if self.measured else self.predicted or 1.0


def pairs_of(
    points: Sequence[Point], context: Context, roofs: Roofs, project: bool = False
) -> list[Pair]:
    """All pairs of one problem in one cache state, in the order of the points.

    With `project` the roofs are another machine's: gains are predicted there, and none was
    measured.
    """
    groups: dict[tuple, dict[str, int]] = defaultdict(dict)
    for index, point in enumerate(points):
        case = point.case
        key = (case.op, case.dtype, tuple(case.axes.items()), case.cache)
        groups[key][case.implementation] = index
    predictor = _Predictor(roofs, Context() if project else context)
    found = []
    for members in groups.values():
        found += _fusions(points, members, predictor)
        found += [] if project else _vendors(points, members, predictor)
    return [replace(pair, measured=None) for pair in found] if project else found


def _fusions(points: Sequence[Point], members: Mapping[str, int], predict: "_Predictor") -> list:
    found = []
    for name, start in members.items():
        end = members.get(_fused_partner(name)) if is_unfused(name) else None
        if end is not None:
            measured = _measured(points[start], points[end])
            predicted, why = predict.gain(points[start], points[end])
            found.append(Pair(FUSION, start, end, measured, predicted, why))
    return found


def _fused_partner(name: str) -> str:
    """`onednn_unfused` is the chain of `onednn`, `cuda_unfused` that of `cuda_fused`."""
    stem = "_".join(part for part in name.split("_") if part != "unfused")
    return f"{stem}_fused" if stem in ("cpu", "cuda") else stem


def _vendors(points: Sequence[Point], members: Mapping[str, int], predict: "_Predictor") -> list:
    found = []
    for name, end in members.items():
        score = points[end].row.score
        start = members.get(score.best_vendor) if score and score.best_vendor else None
        if not is_own(name) or is_unfused(name) or start is None:
            continue
        measured = _measured(points[start], points[end])
        predicted, why = predict.gain(points[start], points[end])
        found.append(Pair(VENDOR, start, end, measured, predicted, why))
    return found


def _measured(start: Point, end: Point) -> Gain | None:
    """By paired samples where one of the two is the best vendor row; else a ratio of medians."""
    for point, other, inverse in ((end, start, False), (start, end, True)):
        score = point.row.score
        if score and score.best_vendor == other.case.implementation:
            factors = score.speedup_vs_best_vendor, score.speedup_p10, score.speedup_p90
            if all(factor and factor > 0 for factor in factors):
                middle, low, high = factors
                return Gain(1 / middle, 1 / high, 1 / low) if inverse else Gain(*factors)
    before, after = start.row.times, end.row.times
    return Gain(before.real_s / after.real_s) if before and after else None


class _Predictor:
    """Predicts a gain from bytes and launches saved alone."""

    def __init__(self, roofs: Roofs, context: Context) -> None:
        self._roofs, machine = roofs, context.machine
        self._launch_ns = machine.empty_launch_ns if machine else None
        self._caches: Mapping[str, int] = context.cache_bytes
        if machine and not machine.device.startswith("cpu"):  # those caches are the host's
            self._caches = {"l2": machine.llc_bytes or 0}

    def gain(self, start: Point, end: Point) -> tuple[float | None, str]:
        """The factor, or None, and what it rests on."""
        if not is_unfused(start.case.implementation) or is_unfused(end.case.implementation):
            return 1.0, "same bytes and launches: what is gained is a better use of the roof"
        chain = chain_of(end.case)
        if chain is None:
            return None, f"the unfused chain of {end.case.op} is not known"
        fused_s = self._seconds(end)
        extra_s, level = self._extra(chain, end)
        if fused_s is None or extra_s is None:
            return None, "no roof to predict with"
        saved = chain.launches - 1
        launches_s = saved * (self._launch_ns or 0.0) * 1e-9
        moved = chain.extra_bytes(end.row.work) / 1e6
        what = f"{chain.steps}: {moved:.3g} MB of intermediates through {level.upper()}"
        what += f", {saved} launch{'es' if saved > 1 else ''} saved"
        what += "" if self._launch_ns else " at an unknown cost"
        return (fused_s + extra_s + launches_s) / fused_s, what

    def _seconds(self, point: Point) -> float | None:
        return point.row.work.flops / point.attainable if point.attainable else None

    def _extra(self, chain: Chain, point: Point) -> tuple[float | None, str]:
        """Seconds for the intermediates, at the fastest level that holds them."""
        work = point.row.work
        level = self._level(chain.stored_bytes(work))
        moved = chain.extra_bytes(work)
        stream = self._roofs.bandwidth(level, Work(0, moved / 2, moved / 2, work.unit))
        return (moved / stream.bytes_per_s if stream else None), level

    def _level(self, size: float) -> str:
        """Half a cache is taken as usable: the other operands stream through it."""
        for level in LEVELS[1:-1]:  # an L1 holds nothing from one kernel to the next
            if size <= self._caches.get(level, 0) / 2:
                return level
        return "dram"
