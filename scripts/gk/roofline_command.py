# SPDX-License-Identifier: Apache-2.0
"""The command `scripts/roofline.py`: files in, pictures out, every row accounted for."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gk import figures, machines, page, roofline
from gk.errors import ExitCode, GkError, printable
from gk.outputs import write_file
from gk.study import Study, add_options, make_study, split

SUFFIXES = (*figures.SUFFIXES, ".html")

_EPILOG = """examples:
  scripts/roofline.py results/cpu/run.json
      the run on the roofs that it measured, beside the file as run.roofline.png
  scripts/roofline.py run.json --op gemv_decode --dtype bf16 -o decode.svg,decode.pdf
      a part of it, in two formats
  scripts/roofline.py run.json --pairs -o run.html
      with arrows from unfused to fused and from vendor to own, as one page for a browser
  scripts/roofline.py run.json --device h100_sxm
      a projection: each point keeps its intensity and its percent of its own measured ceiling
  gk_bench --gk_list=json > cases.json; scripts/roofline.py cases.json --device h100_sxm
      nothing measured: where each case sits, and what it could attain
  scripts/roofline.py other.json --flops-counter FLOPS=rate --bytes-counter bytes_per_second
      any file of Google Benchmark whose rows carry FLOPs and bytes

exit codes: 0 drawn; 2 bad input or usage; 3 drawn from an incomplete run, or refused: files that
do not belong together, or from the emulator; 4 nothing to plot"""


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
    add_options(parser)
    parser.add_argument("--pairs", action="store_true", help="arrows: unfused to fused, to own")
    parser.add_argument(
        "-o",
        "--output",
        action="append",
        metavar="OUT",
        help="a .png, .svg, .pdf or .html file (or a comma list; may be repeated)",
    )
    return parser.parse_args(arguments)


def _run(options: argparse.Namespace) -> ExitCode:
    device = machines.find_device(options.device) if options.device else None
    outputs = _outputs(options)
    study = make_study(options, device)
    if not study.found.points:
        print_account(study)
        raise GkError("nothing to plot", ExitCode.NOTHING_MEASURED)
    if options.pairs:
        study = replace(study, picture=replace(study.picture, pairs=study.pairs))
    # Written before a word is said: whoever reads us through a pipe may stop reading.
    for path, data in _render(study, outputs).items():
        write_file(path, data)
    print_account(study)
    if options.pairs:
        print_pairs(study)
    for path in outputs:
        print(f"wrote {printable(str(path))}")
    return ExitCode.NOT_COMPARABLE if study.incomplete else ExitCode.OK


def _render(study: Study, outputs: Sequence[Path]) -> dict[Path, bytes]:
    """All of them before the first is written."""
    kinds = {path.suffix.lower() for path in outputs}
    made = {".html": page.build(study)} if ".html" in kinds else {}
    with figures.style():
        figure = roofline.draw(study.picture) if kinds - {".html"} else None
        made |= {kind: figures.rendered(figure, kind) for kind in sorted(kinds - {".html"})}
    return {path: made[path.suffix.lower()] for path in outputs}


def _outputs(options: argparse.Namespace) -> list[Path]:
    """Checked before anything is read: a wrong suffix must not cost a minute of drawing."""
    paths = [Path(part) for part in split(options.output)]
    if not paths:
        first = options.files[0]
        if not first.name:
            raise GkError(f"'{first}' names no file")
        suffix = f".roofline.{options.device}.png" if options.device else ".roofline.png"
        paths = [first.with_name(first.name.removesuffix(".json") + suffix)]
    for path in paths:
        if path.suffix.lower() not in SUFFIXES:
            raise GkError(f"{path}: the suffix is none of {', '.join(SUFFIXES)}")
    return paths


def print_account(study: Study) -> None:
    """Account for every row: those left out by an option are counted, all others named."""
    for file in study.files:
        if file.incomplete:
            print(f"{file.path}: incomplete: {file.incomplete}")
    found = study.found
    plotted, listed = found.rows_plotted, len(found.listed)
    points = f"(as {len(found.points)} points)"
    print(f"rows read {study.rows_read} = plotted {plotted} {points} + listed {listed}")
    left_out = Counter(listed.reason for listed in found.listed if listed.by_option)
    for reason, count in sorted(left_out.items()):
        print(f"  {count} {printable(reason)}")
    for listed in found.listed:
        if not listed.by_option:
            print(f"  {printable(listed.row.name.full)}: {printable(listed.reason)}")
    for point in found.points:
        if point.suspect:
            print(f"  suspect: {printable(point.name)}: {printable(point.suspect)}")


def print_pairs(study: Study) -> None:
    """One line per pair: what was predicted from what, and what was measured."""
    points = study.found.points
    print(f"pairs {len(study.pairs)}: times faster, predicted from bytes and launches saved")
    for pair in study.pairs:
        predicted = "-" if pair.predicted is None else f"{pair.predicted:.2f}"
        start, end = points[pair.start].name, points[pair.end].case.implementation
        gains = f"predicted {predicted} ({pair.why}), measured {pair.measured or '-'}"
        print(f"  {printable(start)} -> {printable(end)}: {printable(gains)}")
