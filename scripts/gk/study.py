# SPDX-License-Identifier: Apache-2.0
"""Files and options to one study: the rows sorted, the roofs chosen, the picture titled."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gk import machines, results
from gk.errors import ExitCode, GkError
from gk.foreign import Reading, adopt, parse_counter
from gk.machines import Device
from gk.pairs import Pair, pairs_of
from gk.points import Selection, Sorted
from gk.results import Context, Kind, ResultFile
from gk.roofline import Picture
from gk.roofs import Roofs, datasheet_roofs, measured_roofs
from gk.sorting import sort_rows

FILTERS = ("op", "dtype", "implementation", "cache")


@dataclass(frozen=True, slots=True)
class Study:
    """What was read, what of it is drawn, and under which roofs."""

    files: tuple[ResultFile, ...]
    found: Sorted
    pairs: tuple[Pair, ...]
    picture: Picture

    @property
    def context(self) -> Context:
        """Of the first file: the files belong together."""
        return self.files[0].context

    @property
    def rows_read(self) -> int:
        """Of all files."""
        return sum(len(file.rows) for file in self.files)

    @property
    def incomplete(self) -> bool:
        """Whether a run did not end."""
        return any(file.incomplete for file in self.files)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that every command on result files shares."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="result file(s)")
    parser.add_argument("--device", metavar="NAME", help="project onto this device's datasheet")
    for name in FILTERS:
        text = f"take only this {name} (or a comma list of them)"
        parser.add_argument(f"--{name}", action="append", metavar="NAME", help=text)
    foreign = parser.add_argument_group("other people's Google Benchmark files")
    for name in ("flops", "bytes"):
        text = f"counter of {name}; =rate or =call says what it counts (names tell otherwise)"
        foreign.add_argument(f"--{name}-counter", metavar="NAME[=rate|call]", help=text)
    text = "what the rows compute in, as bf16/matrix: such files do not say"
    foreign.add_argument("--counter-dtype", metavar="DTYPE/UNIT", help=text)


def split(values: Sequence[str] | None) -> list[str]:
    """The words of a comma list that may be repeated."""
    return [part for value in values or () for part in value.split(",") if part]


def make_study(options: argparse.Namespace, device: Device | None = None) -> Study:
    """Read and sort. Raises GkError: 2 bad input, 3 files that do not belong together."""
    reading = _reading(options)
    files = [results.read(path) for path in options.files]
    for file in files:
        results.check_unique(file)
    _check_belong_together(files)
    files = [adopt(file, reading) for file in files]
    sources = _sources(files[0], device)
    selection = Selection({name: frozenset(split(getattr(options, name))) for name in FILTERS})
    rows = [row for file in files for row in file.rows]
    project = device is not None and files[0].ours
    found = sort_rows(rows, sources[0], selection, project)
    pairs = tuple(pairs_of(found.points, files[0].context, sources[0], project))
    picture = compose(files, found, sources, device)
    notes = () if files[0].ours else tuple(reading.notes())
    return Study(tuple(files), found, pairs, replace(picture, notes=picture.notes + notes))


def subset(study: Study, op: str) -> Study:
    """The same study, which is no projection, with the points of one op."""
    points = tuple(point for point in study.found.points if point.case.op == op)
    found = replace(study.found, points=points)
    pairs = tuple(pairs_of(points, study.context, study.picture.sources[0]))
    return replace(study, found=found, pairs=pairs, picture=replace(study.picture, points=points))


def _reading(options: argparse.Namespace) -> Reading:
    flops, moved = options.flops_counter, options.bytes_counter
    reading = Reading(flops and parse_counter(flops), moved and parse_counter(moved))
    if options.counter_dtype is None:
        return reading
    dtype, _, unit = options.counter_dtype.partition("/")
    if not dtype or unit not in machines.UNITS:
        raise GkError(f"--counter-dtype {options.counter_dtype}: not as bf16/matrix or f32/vector")
    return replace(reading, dtype=dtype, unit=unit)


def _check_belong_together(files: Sequence[ResultFile]) -> None:
    first = files[0]
    for file in files:
        if file.emulated and any(row.kind is not Kind.LISTED for row in file.rows):
            raise GkError(f"{file.path}: from the emulator: no times", ExitCode.NOT_COMPARABLE)
        if _machine(file) != _machine(first):
            message = f"{file.path}: another machine than that of {first.path}"
            raise GkError(message, ExitCode.NOT_COMPARABLE)


def _machine(file: ResultFile) -> tuple[str, str, str | None] | None:
    machine = file.context.machine
    return machine and (machine.name, machine.device, machine.uuid)


def _sources(file: ResultFile, device: Device | None) -> tuple[Roofs, ...]:
    """The roofs to draw; the points belong to the first."""
    if device:
        return (datasheet_roofs(device),)
    measured, sheet = measured_roofs(file.context), file.context.datasheet
    found = [measured] if measured.memory or measured.compute else []
    found += [datasheet_roofs(sheet)] if sheet else []
    return tuple(found) or (measured,)


def compose(
    files: Sequence[ResultFile], found: Sorted, sources: tuple[Roofs, ...], device: Device | None
) -> Picture:
    """Title and notes say what kind of picture it is: measured, projected or only listed."""
    machine, context = files[0].context.machine, files[0].context
    measured = any(point.achieved is not None for point in found.points)
    origin = machine.name if machine else "an unknown machine"
    if not measured:
        title = f"What each case could attain on {device.name if device else origin}"
        subtitle = "no measurement; each marker stands on its roof"
    elif device and not files[0].ours:
        title = f"Measured elsewhere, under the datasheet roof of {device.name}"
        subtitle = "the file names no machine, so whether this device measured it is not known"
    elif device:
        title = f"Projection to {device.name}"
        subtitle = f"each point keeps its percent of its own ceiling, measured on {origin}"
    else:
        title = f"Roofline of {origin}"
        subtitle = f"measured, {_threads(context.threads)}"
    notes = [f"INCOMPLETE RUN: {file.incomplete}" for file in files if file.incomplete]
    if machine and not sources[0].measured and not device:
        notes.append("No roof was measured in this run: the roofs are the datasheet's.")
    hollow = device is not None or not measured
    return Picture(title, subtitle, found.points, sources, hollow, tuple(notes))


def _threads(count: int | None) -> str:
    return "unknown threads" if count is None else f"{count} thread{'s' if count != 1 else ''}"
