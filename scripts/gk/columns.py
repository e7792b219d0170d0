# SPDX-License-Identifier: Apache-2.0
"""A point or a row as a table shows it: the one list of columns of the HTML and the CSV."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from gk.points import Listed, Point
from gk.quantities import plain
from gk.results import Row

Cell = float | int | str | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its heading, and its value for a row and, where it is plotted, its point."""

    name: str
    value: Callable[[Row, Point | None], Cell]


@cache
def columns() -> tuple[Column, ...]:
    """Everything that is known of a row; rates in SI units."""
    return (*_problem(), *_measured(), *_placed(), *_details())


def _problem() -> list[Column]:
    return [
        Column("name", lambda row, _: row.name.full),
        Column("status", lambda row, _: str(row.kind)),
        *(_of_case(key) for key in ("op", "implementation", "dtype")),
        Column("axes", lambda row, _: _axes(row)),
        _of_case("cache"),
        Column("roles", lambda row, _: " ".join(row.roles)),
        Column("unit", lambda row, _: row.work.unit if row.work else None),
        Column("flops", lambda row, _: row.work.flops if row.work else None),
        Column("read_bytes", lambda row, _: row.work.read_bytes if row.work else None),
        Column("written_bytes", lambda row, _: row.work.written_bytes if row.work else None),
    ]


def _of_case(key: str) -> Column:
    return Column(key, lambda row, _: getattr(row.case, key) if row.case else None)


def _axes(row: Row) -> str:
    return " ".join(f"{k}:{v}" for k, v in row.case.axes.items()) if row.case else ""


def _measured() -> list[Column]:
    return [
        Column("time_us", lambda row, _: row.times.real_s * 1e6 if row.times else None),
        Column("iterations", lambda row, _: row.times.iterations if row.times else None),
        Column("samples", lambda row, _: len(row.times.samples_s) if row.times else None),
        Column("repetitions_in_point", lambda _, point: point.rows if point else None),
        *(_of_score(key) for key in _SCORE.split()),
        Column("plan", lambda row, _: row.plan),
    ]


_SCORE = (
    "ceiling_level ceiling_bytes_per_s ceiling_flop_per_s best_vendor speedup_vs_best_vendor "
    "speedup_p10 speedup_p90 throttled"
)


def _of_score(key: str) -> Column:
    return Column(key, lambda row, _: getattr(row.score, key) if row.score else None)


def _placed() -> list[Column]:
    keys = {
        "intensity_flop_per_byte": "intensity",
        "achieved_flop_per_s": "achieved",
        "attainable_flop_per_s": "attainable",
        "percent_of_roof": "percent",
        "bound": "bound",
        "suspect": "suspect",
        "note": "note",
    }
    return [_of_point(name, key) for name, key in keys.items()]


def _of_point(name: str, key: str) -> Column:
    return Column(name, lambda _, point: getattr(point, key) if point else None)


_DETAILS = (
    "bytes_per_s percent_of_datasheet plans_tried first_plan_time cold_factor bytes_between_uses "
    "sets calls_per_sample samples_dropped stop_reason relative_precision max_error tolerance_used"
)


def _details() -> list[Column]:
    return [_of_details(key) for key in _DETAILS.split()]


def _of_details(key: str) -> Column:
    return Column(key, lambda row, _: row.details.get(key))


def values(entry: Point | Listed) -> list[Cell]:
    """The cells of one plotted point or of one listed row, in the order of `columns()`."""
    point = entry if isinstance(entry, Point) else None
    return [column.value(entry.row, point) for column in columns()]


def text(cell: Cell) -> str:
    """A cell for a reader: six digits, no exponent while it stays short."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if cell == int(cell) and abs(cell) < 1e15:
        return str(int(cell))
    return plain(cell, 6) if 1e-4 <= abs(cell) < 1e15 else f"{cell:.5e}"
