# SPDX-License-Identifier: Apache-2.0
"""Rows: every row of a file becomes one of these, classified; none is dropped."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gk.names import Case, Name


class Kind(StrEnum):
    """What a row is. The kinds below `MEASURED` have no time to compare."""

    MEASURED = "measured"
    AGGREGATE = "aggregate"
    COMPLEXITY = "complexity"
    SKIPPED = "skipped"
    WRONG = "wrong"
    ERROR = "error"
    HUNG = "hung"
    LISTED = "listed"
    EMULATED = "emulated"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds per call; `samples_s` is empty where the file has none."""

    real_s: float
    cpu_s: float | None
    iterations: int | None
    samples_s: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """The problem's compulsory work of one call, the same for every implementation."""

    flops: float
    read_bytes: float
    written_bytes: float
    unit: str  # matrix or vector

    @property
    def intensity(self) -> float | None:
        """FLOP per byte; None without bytes."""
        moved = self.read_bytes + self.written_bytes
        return self.flops / moved if moved > 0 else None


@dataclass(frozen=True, slots=True)
class Score:
    """A measured row against its roofs; None where the file says null."""

    flop_per_s: float | None
    ceiling_bytes_per_s: float | None
    ceiling_level: str | None
    ceiling_flop_per_s: float | None
    percent_of_ceiling: float | None
    percent_reason: str | None
    best_vendor: str | None
    speedup_vs_best_vendor: float | None
    speedup_p10: float | None
    speedup_p90: float | None
    suspect: str | None
    throttled: str | None


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `reason` says why a row has no time; `case` and `work` are of our own files."""

    index: int
    name: Name
    kind: Kind
    reason: str | None = None
    repetition_index: int | None = None
    threads: int = 1
    times: Times | None = None
    case: Case | None = None
    work: Work | None = None
    score: Score | None = None
    statistic: str | None = None  # mean, median, ... of an aggregate row
    roles: tuple[str, ...] = ()
    plan: str | None = None
    counters: Mapping[str, float | None] = field(default_factory=dict)
    details: Mapping[str, float | str | None] = field(default_factory=dict)  # the other fields
