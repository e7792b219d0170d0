# SPDX-License-Identifier: Apache-2.0
"""Where a row stands in the plane, and under which roof: measured, projected or only listed."""

from gk.points import Point
from gk.results import UNKNOWN, Kind, Row
from gk.roofs import Roofs

SUSPECT_PERCENT = 102.0  # as the engine: above this of a roof, the roof or the row is wrong


def place(row: Row, rows: int, roofs: Roofs, project: bool) -> Point | str:
    """The point of a row that stands for `rows` of them, or why there is none."""
    return _checked(_placed(row, rows, roofs, project))


def _placed(row: Row, rows: int, roofs: Roofs, project: bool) -> Point | str:
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
