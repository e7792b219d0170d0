# SPDX-License-Identifier: Apache-2.0
"""Result files: the only reader, of our own (docs/results.md) and of Google Benchmark's JSON."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gk import fields, machines, strict_json
from gk.errors import GkError
from gk.fields import FieldError, Json
from gk.machines import ComputeCeiling, Device, Machine, MemoryCeiling
from gk.names import UNKNOWN, Case, Name
from gk.row_parser import Dialect, parse_row
from gk.rows import Kind, Row, Score, Times, Work

__all__ = [
    "UNKNOWN",
    "Case",
    "Context",
    "Kind",
    "Name",
    "ResultFile",
    "Row",
    "Score",
    "Times",
    "Work",
    "check_unique",
    "read",
]

SCHEMA_VERSION = 1
MAX_CEILINGS = 500  # a machine has some tens


@dataclass(frozen=True, slots=True)
class Context:
    """Where and how a run was made. A foreign file has none of our fields."""

    schema_version: int | None = None  # None: not one of our files
    machine: Machine | None = None
    memory_ceilings: tuple[MemoryCeiling, ...] = ()
    compute_ceilings: tuple[ComputeCeiling, ...] = ()
    datasheet: Device | None = None
    commit: str | None = None
    dirty: bool | None = None
    start_utc: str | None = None
    threads: int | None = None
    seed: int | None = None
    distribution: str | None = None
    model: str | None = None
    build_type: str | None = None
    library_version: str | None = None
    preset: str | None = None
    budget_s: float | None = None
    cache_bytes: Mapping[str, int] = field(default_factory=dict)  # l1, l2, l3: capacity
    command_line: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file: its context and all its rows, in the order of the file."""

    path: Path
    context: Context
    rows: tuple[Row, ...]
    incomplete: str | None  # why the run is incomplete, or None

    @property
    def ours(self) -> bool:
        """Whether gk_bench wrote it."""
        return self.context.schema_version is not None

    @property
    def emulated(self) -> bool:
        """Whether it comes from the emulator, which has no times."""
        return self.context.machine is not None and self.context.machine.emulated

    def counts(self) -> dict[Kind, int]:
        """Rows of each kind; the sum is the number of rows read."""
        found = Counter(row.kind for row in self.rows)
        return {kind: found[kind] for kind in Kind if found[kind]}


def read(path: Path | str) -> ResultFile:
    """Read a result file, ours or Google Benchmark's (1.5 to 1.9); times become seconds.

    A file that was cut short comes back with its whole rows and `incomplete` set. Raises
    GkError (exit code 2), which names the file and the place, for anything else.
    """
    path = Path(path)
    if not path.name:
        raise GkError(f"'{path}' names no file")
    document = strict_json.load(path)
    context = _context(path, document)
    if document.rows is None and not document.cut:
        raise GkError(f"{path}: no 'benchmarks' array: not a result file")
    ours = context.schema_version is not None
    if ours and document.non_finite:
        raise GkError(f"{path}: {document.non_finite} holds NaN or Infinity, never valid in JSON")
    dialect = Dialect(ours, emulated=bool(context.machine and context.machine.emulated))
    rows = tuple(parse_row(i, raw, dialect) for i, raw in enumerate(document.rows or []))
    return ResultFile(path, context, rows, _incomplete(document, ours))


def check_unique(file: ResultFile) -> None:
    """Refuse a file in which one benchmark stands twice; repetitions have indices of their own.

    Raises GkError (2). Rows without an index (before Google Benchmark 1.5) may be repetitions.
    """
    seen: dict[tuple[str, int], int] = {}
    for row in file.rows:
        if row.kind not in (Kind.MEASURED, Kind.LISTED) or row.repetition_index is None:
            continue
        first = seen.setdefault((row.name.key, row.repetition_index), row.index)
        if first != row.index:
            name = f"'{row.name.full[:200]}' stands twice, in benchmarks[{first}] and"
            raise GkError(f"{file.path}: {name} benchmarks[{row.index}], as the same repetition")


def _incomplete(document: strict_json.Document, ours: bool) -> str | None:
    if document.cut:
        return f"the file was cut after {len(document.rows or [])} whole rows"
    if ours and document.top.get("complete") is not True:
        return "the run did not end: 'complete' is not true"
    return None


def _context(path: Path, document: strict_json.Document) -> Context:
    raw = document.top.get("context")
    if raw is None and document.cut:
        raise GkError(f"{path}: the file was cut before the end of its context: nothing to read")
    if not isinstance(raw, dict):
        raise GkError(f"{path}: no 'context' object: not a result file")
    try:
        version = _schema_version(raw)
        return _foreign_context(raw) if version is None else _our_context(version, raw)
    except FieldError as error:
        raise GkError(f"{path}: context: {error}") from None


def _schema_version(raw: Json) -> int | None:
    version = raw.get("schema_version")
    if version is None:
        return None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FieldError("'schema_version' is not a positive integer")
    if version > SCHEMA_VERSION:
        raise FieldError(
            f"schema_version {version} is newer than {SCHEMA_VERSION}, the newest known here"
        )
    return version


def _foreign_context(raw: Json) -> Context:
    return Context(
        build_type=fields.text(raw, "library_build_type"),
        library_version=fields.text(raw, "library_version"),
    )


def _our_context(version: int, raw: Json) -> Context:
    machine, datasheet = fields.mapping(raw, "machine"), fields.mapping(raw, "datasheet")
    if machine is None:
        raise FieldError("'machine' is missing")
    ceilings = _ceilings(raw)
    return Context(
        schema_version=version,
        machine=machines.parse_machine(machine),
        memory_ceilings=tuple(c for c in ceilings if isinstance(c, MemoryCeiling)),
        compute_ceilings=tuple(c for c in ceilings if isinstance(c, ComputeCeiling)),
        datasheet=None if datasheet is None else machines.parse_device(datasheet),
        commit=fields.text(raw, "commit"),
        dirty=None if raw.get("dirty") is None else raw.get("dirty") is True,
        start_utc=fields.text(raw, "start_utc"),
        threads=fields.integer(raw, "threads"),
        seed=fields.integer(raw, "seed"),
        distribution=fields.text(raw, "distribution"),
        model=fields.text(raw, "model"),
        build_type=fields.text(raw, "library_build_type"),
        preset=fields.text(raw, "preset"),
        budget_s=fields.number(raw, "budget_s"),
        cache_bytes=_caches(raw),
        command_line=fields.texts(raw, "command_line"),
    )


def _caches(raw: Json) -> dict[str, int]:
    caches = [c for c in fields.objects(raw, "caches") if c.get("type") != "Instruction"]
    sizes = [(fields.integer(c, "level"), fields.integer(c, "size")) for c in caches]
    return {f"l{level}": size for level, size in sizes if level and size}


def _ceilings(raw: Json) -> list[MemoryCeiling | ComputeCeiling]:
    found = []
    ceilings = fields.objects(raw, "ceilings")
    if len(ceilings) > MAX_CEILINGS:
        raise FieldError(f"{len(ceilings)} ceilings, more than the limit of {MAX_CEILINGS}")
    for index, item in enumerate(ceilings):
        try:
            found.append(machines.parse_ceiling(item))
        except FieldError as error:
            raise FieldError(f"ceilings[{index}]: {error}") from None
    return [ceiling for ceiling in found if ceiling is not None]
