# SPDX-License-Identifier: Apache-2.0
"""Rows of other people's benchmarks: FLOPs and bytes from the counters that they carry."""

from dataclasses import dataclass, replace

from gk.errors import GkError
from gk.results import UNKNOWN, Case, Kind, ResultFile, Row, Work

_MEANINGS = ("call", "rate")
_RATE_ENDINGS = ("_per_second", "_per_s", "/s")
_OWN_NAMES = ("flops", "read_bytes", "written_bytes")  # what our own rows call them


@dataclass(frozen=True, slots=True)
class Counter:
    """One counter of Google Benchmark, and whether it counts per call or per second.

    The library's JSON does not say which; names that end like a rate are taken for one.
    """

    name: str
    is_rate: bool

    def per_call(self, row: Row) -> float | None:
        """Its value for one call; None where the row lacks it or it is not positive."""
        value = row.counters.get(self.name)
        if value is None or value <= 0 or row.times is None:
            return None
        if not self.is_rate:
            return value
        # The library divides by the time that the name tells: wall, or CPU.
        seconds = row.times.real_s if row.name.is_wall_time else row.times.cpu_s
        return value * seconds if seconds else None

    def __str__(self) -> str:
        return f"'{self.name}' as {'a rate per second' if self.is_rate else 'a count per call'}"


def parse_counter(text: str) -> Counter:
    """`NAME`, `NAME=rate` or `NAME=call`. Raises GkError (2)."""
    name, separator, meaning = text.rpartition("=")
    if not separator:
        name, meaning = text, "rate" if text.endswith(_RATE_ENDINGS) else "call"
    if not name or meaning not in _MEANINGS:
        raise GkError(f"'{text}': a counter is NAME, NAME=call or NAME=rate")
    return Counter(name, meaning == "rate")


@dataclass(frozen=True, slots=True)
class Reading:
    """How the rows of a foreign file are to be read. Nothing here is ever guessed."""

    flops: Counter | None = None
    bytes: Counter | None = None
    dtype: str = UNKNOWN
    unit: str = UNKNOWN

    def notes(self) -> list[str]:
        """What was assumed, for whoever reads the picture."""
        found = [f"FLOPs: counter {self.flops}"] if self.flops else []
        found += [f"bytes: counter {self.bytes}"] if self.bytes else []
        if self.dtype != UNKNOWN:
            found.append(f"dtype {self.dtype} on the {self.unit} unit, as the command line says")
        return found


def adopt(file: ResultFile, reading: Reading) -> ResultFile:
    """A foreign file's rows with their case and work; our own files come back unchanged."""
    if file.ours:
        return file
    timed = {row.name.key for row in file.rows if row.kind is Kind.MEASURED}
    return replace(file, rows=tuple(_adopt(row, reading, timed) for row in file.rows))


def _adopt(row: Row, reading: Reading, timed: set[str]) -> Row:
    if row.kind is Kind.AGGREGATE and row.statistic == "median" and row.name.key not in timed:
        row = replace(row, kind=Kind.MEASURED)  # a file of aggregates only
    if row.kind is not Kind.MEASURED:
        return row
    flops, moved = _flops(row, reading), _bytes(row, reading)
    if flops is None or moved is None:
        return replace(row, reason=_what_lacks(reading, flops, moved))
    function, _, _ = row.name.stem.partition("/")
    case = Case(function, UNKNOWN, reading.dtype, {}, UNKNOWN)
    return replace(row, case=case, work=Work(flops, moved[0], moved[1], reading.unit))


def _flops(row: Row, reading: Reading) -> float | None:
    return (reading.flops or Counter("flops", is_rate=False)).per_call(row)


def _bytes(row: Row, reading: Reading) -> tuple[float, float] | None:
    """Bytes read and written; a counter of all bytes counts as reads."""
    if reading.bytes:
        moved = reading.bytes.per_call(row)
        return None if moved is None else (moved, 0.0)
    read, written = (row.counters.get(name) for name in _OWN_NAMES[1:])
    if read is None or written is None or read < 0 or written < 0:
        return None
    return read, written


def _what_lacks(reading: Reading, flops: float | None, moved: object) -> str:
    lacking = []
    if flops is None:
        name = reading.flops.name if reading.flops else "flops"
        lacking.append(f"no FLOPs: no positive counter '{name}' (--flops-counter names another)")
    if moved is None:
        name = f"counter '{reading.bytes.name}'" if reading.bytes else "'read_bytes' and so on"
        lacking.append(f"no bytes: no {name} (--bytes-counter names another)")
    return "; ".join(lacking)
