# SPDX-License-Identifier: Apache-2.0
"""Points of a roofline, and the rows that are none."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gk.machines import ComputeCeiling, MemoryCeiling
from gk.results import Case, Row


@dataclass(frozen=True, slots=True)
class Point:
    """One marker. Rates in FLOP/s; None where unknown."""

    name: str
    case: Case
    rows: int  # rows of the file behind it: repetitions share a point
    intensity: float  # FLOP/byte
    height: float  # where the marker stands
    achieved: float | None  # None: nothing was measured
    attainable: float | None
    percent: float | None
    bound: str | None
    row: Row  # the one in the middle
    suspect: str | None = None
    note: str | None = None
    stream: MemoryCeiling | None = None  # the roofs of the figure that it belongs to
    peak: ComputeCeiling | None = None

    @property
    def has_roof(self) -> bool:
        """Whether it is known what could be attained here."""
        return self.attainable is not None


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rows to draw, as the command line says: an empty set takes all."""

    wanted: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def reason_against(self, case: Case) -> str | None:
        """The option that leaves `case` out."""
        for key, values in self.wanted.items():
            if values and getattr(case, key) not in values:
                return f"left out by --{key} {','.join(sorted(values))}"
        return None


@dataclass(frozen=True, slots=True)
class Listed:
    """A row that is not in the picture, and why."""

    row: Row
    reason: str

    @property
    def by_option(self) -> bool:
        """Whether the command line left it out: such rows are counted, not named."""
        return self.reason.startswith("left out")


@dataclass(frozen=True, slots=True)
class Sorted:
    """All rows read: points, and every row that is none."""

    points: tuple[Point, ...]
    listed: tuple[Listed, ...]

    @property
    def rows_plotted(self) -> int:
        """Rows behind the points."""
        return sum(point.rows for point in self.points)
