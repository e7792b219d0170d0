# SPDX-License-Identifier: Apache-2.0
"""Machines: their fingerprint, their measured ceilings and their datasheet peaks."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from gk import fields
from gk.errors import GkError
from gk.fields import FieldError, Json

DEVICES_JSON = Path(__file__).resolve().parents[2] / "gk" / "devices.json"
LEVELS = ("l1", "l2", "l3", "dram")  # fastest first
UNITS = ("matrix", "vector")


@dataclass(frozen=True, slots=True)
class Machine:
    """The part of a run's fingerprint that comparing and drawing need."""

    device: str  # cpu:0, cuda:0
    name: str
    uuid: str | None
    driver: str | None
    cores: int | None
    llc_bytes: int | None
    emulated: bool
    empty_launch_ns: float | None = None  # an empty call through the harness, cold
    governor: str | None = None
    affinity: str | None = None
    isa: tuple[str, ...] = ()
    libraries: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MemoryCeiling:
    """A stream's measured bandwidth at one level, for one mix of reads and writes."""

    level: str
    reads: int
    writes: int
    bytes_per_s: float
    detail: str | None = None

    @property
    def read_share(self) -> float:
        """Reads over reads and writes, 0 to 1."""
        return self.reads / (self.reads + self.writes)


@dataclass(frozen=True, slots=True)
class ComputeCeiling:
    """A peak of one dtype on one unit."""

    dtype: str
    unit: str
    flop_per_s: float
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Device:
    """A device as its vendor's datasheet describes it; every peak is dense."""

    name: str
    peaks: tuple[ComputeCeiling, ...]
    dram_bytes_per_s: float
    sm_count: int | None
    boost_clock_hz: Mapping[str, float]
    clock_basis: str
    sparsity: str
    source: str
    verified: str | None = None  # how its figures were checked


def device_names() -> tuple[str, ...]:
    """The names that `--device` takes."""
    return tuple(_devices())


def find_device(name: str) -> Device:
    """The datasheet entry called `name`. Raises GkError (2) with the known names."""
    if name not in _devices():
        raise GkError(f"no device '{name}' in {DEVICES_JSON.name}; known: {', '.join(_devices())}")
    return _devices()[name]


@cache
def _devices() -> dict[str, Device]:
    table = json.loads(DEVICES_JSON.read_text(encoding="utf-8"))
    return {key: parse_device(raw) for key, raw in table["devices"].items()}


def parse_device(raw: Json) -> Device:
    """An entry of devices.json, as it also stands in a result file. Raises FieldError."""
    return Device(
        name=fields.required_text(raw, "name"),
        peaks=tuple(_peaks(fields.mapping(raw, "peak_flop_per_s") or {})),
        dram_bytes_per_s=_rate(raw, "dram_bytes_per_s"),
        sm_count=fields.integer(raw, "sm_count"),
        boost_clock_hz=fields.mapping(raw, "boost_clock_hz") or {},
        clock_basis=fields.text(raw, "clock_basis") or "unknown clock",
        sparsity=fields.required_text(raw, "sparsity"),
        source=fields.required_text(raw, "source"),
        verified=fields.text(raw, "verified"),
    )


def _rate(raw: Json, key: str) -> float:
    """A ceiling that some machine could have; others would overflow an axis."""
    value = fields.positive(raw, key)
    if not 1e3 <= value <= 1e21:
        raise FieldError(f"'{key}' is {value:g}, which no machine has")
    return value


def _peaks(raw: Json) -> list[ComputeCeiling]:
    return [
        ComputeCeiling(dtype, unit, _rate(fields.mapping(raw, dtype) or {}, unit))
        for dtype in raw
        for unit in fields.mapping(raw, dtype) or {}
    ]


def parse_machine(raw: Json) -> Machine:
    """`context.machine`. Raises FieldError."""
    return Machine(
        device=fields.required_text(raw, "device"),
        name=fields.required_text(raw, "name"),
        uuid=fields.text(raw, "uuid"),
        driver=fields.text(raw, "driver"),
        cores=fields.integer(raw, "cores"),
        llc_bytes=fields.integer(raw, "llc_bytes"),
        emulated=raw.get("emulated") is True,
        empty_launch_ns=fields.number(raw, "empty_launch_cold_ns"),
        governor=fields.text(raw, "governor"),
        affinity=fields.text(raw, "affinity"),
        isa=fields.texts(raw, "isa"),
        libraries={k: str(v) for k, v in (fields.mapping(raw, "libraries") or {}).items()},
    )


def parse_ceiling(raw: Json) -> MemoryCeiling | ComputeCeiling | None:
    """One of `context.ceilings`; None where it is null or suspect. Raises FieldError."""
    if raw.get("value") is None or raw.get("suspect") is not None:
        return None
    value, detail = _rate(raw, "value"), fields.text(raw, "detail")
    match fields.required_text(raw, "kind"):
        case "bytes":
            return _memory_ceiling(raw, value, detail)
        case "flops":
            dtype, unit = fields.required_text(raw, "dtype"), fields.required_text(raw, "unit")
            if unit not in UNITS:
                raise FieldError(f"'unit' is '{unit}', not one of {', '.join(UNITS)}")
            return ComputeCeiling(dtype, unit, value, detail)
        case kind:
            raise FieldError(f"'kind' is '{kind}', neither 'bytes' nor 'flops'")


def _memory_ceiling(raw: Json, value: float, detail: str | None) -> MemoryCeiling:
    level = fields.required_text(raw, "level")
    if level not in LEVELS:
        raise FieldError(f"'level' is '{level}', not one of {', '.join(LEVELS)}")
    reads, writes = fields.integer(raw, "reads") or 0, fields.integer(raw, "writes") or 0
    if reads < 0 or writes < 0 or reads + writes == 0:
        raise FieldError("'reads' and 'writes' are not a mix")
    return MemoryCeiling(level, reads, writes, value, detail)
