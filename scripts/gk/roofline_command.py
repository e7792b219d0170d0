# SPDX-License-Identifier: Apache-2.0
"""The command `scripts/roofline.py`: files in, pictures out, every row accounted for."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from gk import figures, machines, results, roofline
from gk.errors import ExitCode, GkError, printable
from gk.machines import Device
from gk.points import Selection, Sorted, sort_rows
from gk.results import Kind, ResultFile
from gk.roofline import Picture
from gk.roofs import Roofs, datasheet_roofs, measured_roofs

MAX_POINTS = 500  # more neither fit a page nor a PNG
_FILTERS = ("op", "dtype", "implementation", "cache")

_EPILOG = """examples:
  scripts/roofline.py results/cpu/run.json
      the run on the roofs that it measured, beside the file as run.roofline.png
  scripts/roofline.py run.json --op gemv_decode --dtype bf16 -o decode.svg,decode.pdf
      a part of it, in two formats
  scripts/roofline.py run.json --device h100_sxm
      a projection: each point keeps its intensity and its percent of its own measured ceiling
  gk_bench --gk_list=json > cases.json; scripts/roofline.py cases.json --device h100_sxm
      nothing measured: where each case sits, and what it could attain

exit codes: 0 drawn; 2 bad input or usage; 3 files that do not belong together, or from the
emulator; 4 nothing to plot"""


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit code and prints one sentence for any failure."""
    options = _parse(arguments)
    try:
        return int(_run(options))
    except GkError as error:
        print(f"roofline.py: {error}", file=sys.stderr)
        return int(error.exit_code)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="roofline.py",
        description="Draw the rows of result files under the roofs of their machine.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="result file(s)")
    parser.add_argument("--device", metavar="NAME", help="project onto this device's datasheet")
    for name in _FILTERS:
        text = f"draw only this {name} (or a comma list of them)"
        parser.add_argument(f"--{name}", action="append", metavar="NAME", help=text)
    parser.add_argument(
        "-o",
        "--output",
        action="append",
        metavar="OUT",
        help="a .png, .svg or .pdf file (or a comma list; may be repeated)",
    )
    return parser.parse_args(arguments)


def _run(options: argparse.Namespace) -> ExitCode:
    device = machines.find_device(options.device) if options.device else None
    outputs = _outputs(options)
    files = [results.read(path) for path in options.files]
    _check_belong_together(files)
    sources = _sources(files[0], device)
    selection = Selection({name: frozenset(_split(getattr(options, name))) for name in _FILTERS})
    rows = [row for file in files for row in file.rows]
    found = sort_rows(rows, sources[0], selection, project=device is not None)
    for file in files:
        if file.incomplete:
            print(f"{file.path}: incomplete: {file.incomplete}")
    _report(len(rows), found)
    if not found.points:
        raise GkError("nothing to plot", ExitCode.NOTHING_MEASURED)
    if len(found.points) > MAX_POINTS:
        hint = "choose with --op, --dtype, --implementation or --cache"
        raise GkError(f"{len(found.points)} points, more than {MAX_POINTS} in one picture: {hint}")
    with figures.style():
        figure = roofline.draw(compose(files, found, sources, device))
        for path in outputs:
            figures.save(figure, path)
            print(f"wrote {printable(str(path))}")
    return ExitCode.OK


def _split(values: Sequence[str] | None) -> list[str]:
    return [part for value in values or () for part in value.split(",") if part]


def _outputs(options: argparse.Namespace) -> list[Path]:
    """Checked before anything is read: a wrong suffix must not cost a minute of drawing."""
    paths = [Path(part) for part in _split(options.output)]
    if not paths:
        first = options.files[0]
        if not first.name:
            raise GkError(f"'{first}' names no file")
        suffix = f".roofline.{options.device}.png" if options.device else ".roofline.png"
        paths = [first.with_name(first.name.removesuffix(".json") + suffix)]
    for path in paths:
        if path.suffix.lower() not in figures.SUFFIXES:
            raise GkError(f"{path}: the suffix is none of {', '.join(figures.SUFFIXES)}")
    return paths


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
    origin = machine.name if machine else "unknown machine"
    if not measured:
        title = f"What each case could attain on {device.name if device else origin}"
        subtitle = "no measurement; each marker stands on its roof"
    elif device:
        title = f"Projection to {device.name}"
        subtitle = f"each point keeps its percent of its own ceiling, measured on {origin}"
    else:
        title = f"Roofline of {origin}"
        subtitle = f"measured, {_threads(context.threads)}"
    notes = [f"INCOMPLETE RUN: {file.incomplete}" for file in files if file.incomplete]
    hollow = device is not None or not measured
    return Picture(title, subtitle, found.points, sources, hollow, tuple(notes))


def _threads(count: int | None) -> str:
    return "unknown threads" if count is None else f"{count} thread{'s' if count != 1 else ''}"


def _report(read: int, found: Sorted) -> None:
    """Account for every row: those left out by an option are counted, all others named."""
    plotted, listed = found.rows_plotted, len(found.listed)
    print(f"rows read {read} = plotted {plotted} (as {len(found.points)} points) + listed {listed}")
    left_out = Counter(reason for _, reason in found.listed if reason.startswith("left out"))
    for reason, count in sorted(left_out.items()):
        print(f"  {count} {printable(reason)}")
    for name, reason in found.listed:
        if reason not in left_out:
            print(f"  {printable(name)}: {printable(reason)}")
    for point in found.points:
        if point.suspect:
            print(f"  suspect: {printable(point.name)}: {printable(point.suspect)}")
