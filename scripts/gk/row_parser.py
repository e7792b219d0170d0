# SPDX-License-Identifier: Apache-2.0
"""One JSON object to one row: classified, in SI units, and never an exception."""

import math
from dataclasses import dataclass

from gk import fields
from gk.fields import FieldError, Json
from gk.machines import UNITS
from gk.names import Case, Name, parse_case, parse_name
from gk.rows import Kind, Row, Score, Times, Work

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}  # per `time_unit`


@dataclass(frozen=True, slots=True)
class Dialect:
    """Whose rows these are: ours have more fields, and stricter rules."""

    ours: bool
    emulated: bool = False


def parse_row(index: int, raw: object, dialect: Dialect) -> Row:
    """Classify one row of a file; never raises: what cannot be read is UNREADABLE, and why."""
    name = Name(f"row {index}", f"row {index}", None)
    try:
        if not isinstance(raw, dict):
            raise FieldError("the row is not an object")
        statistic = fields.text(raw, "aggregate_name")
        full = fields.required_text(raw, "name")
        name = parse_name(full, fields.text(raw, "run_name"), statistic)
        return _our_row(index, name, raw, dialect) if dialect.ours else _row(index, name, raw)
    except FieldError as error:
        return Row(index, name, Kind.UNREADABLE, str(error))


def _row(index: int, name: Name, raw: Json) -> Row:
    """A row as Google Benchmark 1.5 to 1.9 writes it."""
    kind, reason = _kind(raw)
    statistic = fields.text(raw, "aggregate_name")
    timed = kind is Kind.MEASURED or (kind is Kind.AGGREGATE and not _is_ratio(raw, statistic))
    return Row(
        index,
        name,
        kind,
        reason,
        repetition_index=fields.integer(raw, "repetition_index"),
        threads=fields.integer(raw, "threads") or 1,
        times=_times(raw, allow_zero=kind is Kind.AGGREGATE) if timed else None,
        statistic=statistic,
        counters=_counters(raw),
    )


def _kind(raw: Json) -> tuple[Kind, str | None]:
    # Errors come first: an erroneous row carries times of 0 that look measured.
    if raw.get("error_occurred") is True:
        return Kind.ERROR, fields.text(raw, "error_message") or "no message"
    if raw.get("skipped") is True:  # since 1.8
        return Kind.SKIPPED, fields.text(raw, "skip_message") or "no message"
    if "big_o" in raw or "rms" in raw:
        return Kind.COMPLEXITY, None
    if raw.get("run_type") == "aggregate" or "aggregate_name" in raw:
        return Kind.AGGREGATE, None
    return Kind.MEASURED, None


def _is_ratio(raw: Json, statistic: str | None) -> bool:
    """A coefficient of variation stands in `real_time` although it is no time."""
    return raw.get("aggregate_unit") == "percentage" or statistic == "cv"


def _times(raw: Json, allow_zero: bool = False) -> Times:
    unit = fields.text(raw, "time_unit") or "ns"
    if unit not in SECONDS:
        raise FieldError(f"'time_unit' is '{unit}', not one of {', '.join(SECONDS)}")
    scale = SECONDS[unit]
    real = fields.number(raw, "real_time") if allow_zero else fields.positive(raw, "real_time")
    cpu = fields.number(raw, "cpu_time")
    if real is None:
        raise FieldError("'real_time' is missing")
    if not allow_zero and real * scale == 0:
        raise FieldError("'real_time' is too small for a number")
    samples = tuple(sample * SECONDS["us"] for sample in fields.numbers(raw, "samples_us"))
    cpu_s = None if cpu is None else cpu * scale
    return Times(real * scale, cpu_s, fields.integer(raw, "iterations"), samples)


_LIBRARY_KEYS = {
    *("real_time", "cpu_time", "cpu_coefficient", "real_coefficient", "rms", "iterations"),
    *("threads", "repetitions", "repetition_index", "family_index", "per_family_instance_index"),
}


def _counters(raw: Json) -> dict[str, float | None]:
    """User counters: every other number. The library writes NaN for an undefined one: None here."""
    return {
        key: _finite(value)
        for key, value in raw.items()
        if isinstance(value, float | int) and not isinstance(value, bool)
        if key not in _LIBRARY_KEYS
    }


def _finite(value: float) -> float | None:
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # an integer beyond the largest float
        return None


def _our_row(index: int, name: Name, raw: Json, dialect: Dialect) -> Row:
    """A row as docs/results.md defines it."""
    kind, reason = _our_kind(raw, dialect)
    measured = kind is Kind.MEASURED
    return Row(
        index,
        name,
        kind,
        reason,
        repetition_index=fields.integer(raw, "repetition_index"),
        threads=fields.integer(raw, "threads") or 1,
        times=_times(raw) if measured else None,
        case=_case(name, raw),
        work=_work(raw),
        score=_score(raw) if measured else None,
        roles=fields.texts(raw, "roles"),
        plan=fields.text(raw, "plan"),
        details=_details(raw) if measured else {},
    )


_TIMELESS = (Kind.SKIPPED, Kind.WRONG, Kind.ERROR, Kind.HUNG)


def _our_kind(raw: Json, dialect: Dialect) -> tuple[Kind, str | None]:
    status = fields.required_text(raw, "status")
    if status in _TIMELESS:
        return Kind(status), fields.text(raw, "error_message") or "no reason given"
    if status == Kind.LISTED:
        return Kind.LISTED, None
    if status != Kind.MEASURED:
        raise FieldError(f"'status' is '{status}', which this reader does not know")
    if raw.get("error_occurred") is True:
        raise FieldError("'status' says measured, but 'error_occurred' is true")
    if dialect.emulated:
        return Kind.EMULATED, "the emulator has no times"
    return Kind.MEASURED, None


def _case(name: Name, raw: Json) -> Case:
    case = parse_case(name.stem)
    if case is None:
        raise FieldError("'name' is not <op>/<implementation>/<dtype>/<axis>:<value>/.../<cache>")
    for key in ("op", "implementation", "dtype", "cache"):
        if fields.required_text(raw, key) != getattr(case, key):
            raise FieldError(f"'{key}' contradicts the name")
    return case


def _work(raw: Json) -> Work:
    work = {key: fields.number(raw, key) for key in ("flops", "read_bytes", "written_bytes")}
    for key, value in work.items():
        if value is None or value < 0:
            raise FieldError(f"'{key}' is missing or negative")
    unit = fields.required_text(raw, "unit")
    if unit not in UNITS:
        raise FieldError(f"'unit' is '{unit}', neither 'matrix' nor 'vector'")
    return Work(**work, unit=unit)


# What a reader of the whole row also wants to see (docs/results.md).
_DETAILS = (
    "device bytes_per_s percent_of_datasheet plans_tried first_plan_time cold_factor "
    "bytes_between_uses sets calls_per_sample samples_dropped stop_reason relative_precision "
    "max_error tolerance_used"
)


def _details(raw: Json) -> dict[str, float | str | None]:
    found: dict[str, float | str | None] = {}
    for key in _DETAILS.split():
        value = raw.get(key)
        if isinstance(value, str):
            found[key] = value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found[key] = _finite(value)
    return found


_SCORE_TEXTS = ("ceiling_level", "percent_reason", "best_vendor", "suspect", "throttled")


def _score(raw: Json) -> Score:
    names = Score.__dataclass_fields__
    return Score(
        **{
            key: fields.text(raw, key) if key in _SCORE_TEXTS else fields.number(raw, key)
            for key in names
        }
    )
