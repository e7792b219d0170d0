# SPDX-License-Identifier: Apache-2.0
"""Rows to points of a roofline: each row read is plotted, or listed with the reason why not."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gk.machines import ComputeCeiling, MemoryCeiling
from gk.results import UNKNOWN, Case, Kind, Row
from gk.roofs import Roofs

SUSPECT_PERCENT = 102.0  # as the engine: above this of a roof, the roof or the row is wrong


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


def sort_rows(rows: Sequence[Row], roofs: Roofs, selection: Selection, project: bool) -> Sorted:
    """Make points under `roofs`; with `project` they keep the percent of their own ceiling."""
    groups: dict[str, list[Row]] = defaultdict(list)
    listed = []
    for row in rows:
        if reason := _reason_against(row, selection):
            listed.append(Listed(row, reason))
        else:
            groups[row.name.key].append(row)
    points = []
    for group in groups.values():
        made = _checked(_point(_median(group), len(group), roofs, project))
        if isinstance(made, Point):
            points.append(made)
        else:
            listed += [Listed(row, made) for row in group]
    return Sorted(tuple(points), tuple(listed))


def _reason_against(row: Row, selection: Selection) -> str | None:
    if row.kind not in (Kind.MEASURED, Kind.LISTED):
        return f"{row.kind}: {row.reason}" if row.reason else str(row.kind)
    if row.case is None or row.work is None:
        return row.reason or "no FLOPs and bytes"
    if reason := selection.reason_against(row.case):
        return reason
    if row.case.op.startswith("ceiling_"):
        return "a ceiling: it is a roof, not a point"
    if not row.work.intensity:
        return "no arithmetic intensity: no FLOPs or no bytes"
    return None


def _median(rows: Sequence[Row]) -> Row:
    """The row in the middle by time, never a mean."""
    timed = [row for row in rows if row.times]
    ordered = sorted(timed, key=lambda row: row.times.real_s) or list(rows)
    return ordered[(len(ordered) - 1) // 2]


def _point(row: Row, rows: int, roofs: Roofs, project: bool) -> Point | str:
    if row.kind is Kind.MEASURED and row.score is None:
        return _foreign_point(row, rows, roofs)
    if row.kind is Kind.LISTED or project:
        return _attainable_point(row, rows, roofs)
    return _measured_point(row, rows, roofs)


def _checked(made: Point | str) -> Point | str:
    """Values that no machine has would stretch the axes beyond use, or overflow."""
    if isinstance(made, str):
        return made
    rates = [rate for rate in (made.height, made.attainable) if rate is not None]
    if not 1e-9 < made.intensity < 1e9 or not all(1 < rate < 1e24 for rate in rates):
        return "intensity or rate lies outside any sensible range"
    return made


def _attainable_point(row: Row, rows: int, roofs: Roofs) -> Point | str:
    """A point under another machine's roofs, or one that was never measured."""
    percent = row.score.percent_of_ceiling if row.score else None
    if row.score and not percent:
        return f"no percent of its own ceiling to keep: {row.score.percent_reason or 'unknown'}"
    if row.case.cache == "warm":
        return "warm: the roofs of caches are known only where they were measured"
    roof = roofs.roof(row.work, row.case.dtype, "dram")
    if roof is None:
        return f"no roof for {row.case.dtype} on the {row.work.unit} unit"
    achieved = None if percent is None else roof.attainable * percent / 100
    return Point(
        name=row.name.stem,
        case=row.case,
        rows=rows,
        intensity=row.work.intensity,
        height=achieved or roof.attainable,
        achieved=achieved,
        attainable=roof.attainable,
        percent=percent,
        bound=roof.bound,
        row=row,
        suspect=_suspect(row, percent),
        stream=roof.stream,
        peak=roof.peak,
    )


def _measured_point(row: Row, rows: int, roofs: Roofs) -> Point:
    """A point under the roofs of its own run; its own interleaved ceiling is the better one."""
    score, intensity = row.score, row.work.intensity
    achieved = row.work.flops / row.times.real_s
    attainable = bound = None
    if score.ceiling_bytes_per_s and score.ceiling_flop_per_s:
        memory = score.ceiling_bytes_per_s * intensity
        attainable = min(memory, score.ceiling_flop_per_s)
        bound = "memory" if memory < score.ceiling_flop_per_s else "compute"
    percent = score.percent_of_ceiling
    level = score.ceiling_level
    return Point(
        name=row.name.stem,
        case=row.case,
        rows=rows,
        intensity=intensity,
        height=achieved,
        achieved=achieved,
        attainable=attainable,
        percent=percent,
        bound=bound,
        row=row,
        suspect=_suspect(row, percent),
        note=None if percent else f"no percentage: {score.percent_reason or 'no reason given'}",
        stream=roofs.bandwidth(level, row.work) if level else None,
        peak=roofs.peak(row.case.dtype, row.work.unit),
    )


def _foreign_point(row: Row, rows: int, roofs: Roofs) -> Point:
    """A measured point whose file has no ceilings: its roof is a datasheet's, or unknown."""
    achieved = row.work.flops / row.times.real_s
    roof = roofs.roof(row.work, row.case.dtype, "dram")
    percent = 100 * achieved / roof.attainable if roof else None
    if row.case.dtype == UNKNOWN:
        note = "dtype unknown, so no roof is its own (--counter-dtype says it)"
    else:
        note = f"no roof for {row.case.dtype} on the {row.work.unit} unit"
    return Point(
        name=row.name.stem,
        case=row.case,
        rows=rows,
        intensity=row.work.intensity,
        height=achieved,
        achieved=achieved,
        attainable=roof.attainable if roof else None,
        percent=percent,
        bound=roof.bound if roof else None,
        row=row,
        suspect=_suspect(row, percent),
        note=None if roof else note,
        stream=roof.stream if roof else None,
        peak=roof.peak if roof else None,
    )


def _suspect(row: Row, percent: float | None) -> str | None:
    if row.score and row.score.suspect:
        return row.score.suspect
    if percent and percent > SUSPECT_PERCENT:
        return f"{percent:.1f} % of its roof, above {SUSPECT_PERCENT:g} %"
    return None
