# SPDX-License-Identifier: Apache-2.0
"""The command `scripts/report.py`: result files in, one folder out."""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gk import figures, machines, page, roofline, rows_csv, summary
from gk.errors import ExitCode, GkError, printable
from gk.machines import Device
from gk.outputs import write_all
from gk.roofline import Picture
from gk.study import Study, add_options, make_study, split, subset

_MOST_OPS = 12  # figures of single ops

_EPILOG = """examples:
  scripts/report.py results/cpu/run.json -o report
      report/summary.md, roofline.html, rows.csv, and the figures as PNG, SVG and PDF
  scripts/report.py run.json --device h100_sxm,a100_sxm -o report
      with a projection to each of two devices beside them
  scripts/report.py run.json --op gemv_decode --cache cold -o report

exit codes: 0 made; 2 bad input or usage; 3 made from an incomplete run, or refused: files that do
not belong together, or from the emulator; 4 nothing to plot"""


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit code and prints one sentence for any failure."""
    options = _parse(arguments)
    try:
        return int(_run(options))
    except GkError as error:
        print(f"report.py: {error}", file=sys.stderr)
        return int(error.exit_code)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="report.py",
        description="Make a folder with the figures, a summary, a page and a table of a run.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="folder")
    return parser.parse_args(arguments)


def _run(options: argparse.Namespace) -> ExitCode:
    names = split([options.device] if options.device else [])
    devices = {name: machines.find_device(name) for name in names}
    if options.output.exists() and not options.output.is_dir():
        raise GkError(f"{options.output}: not a folder")
    study = make_study(options)
    if not study.found.points:
        reasons = {listed.reason for listed in study.found.listed}
        why = f": {sorted(reasons)[0]}" if reasons else ""
        raise GkError(f"nothing to plot{why}", ExitCode.NOTHING_MEASURED)
    files = _files(study, options, devices)
    write_all(options.output, files)
    for name in files:
        print(f"wrote {printable(str(options.output / name))}")
    return ExitCode.NOT_COMPARABLE if study.incomplete else ExitCode.OK


def _files(
    study: Study, options: argparse.Namespace, devices: dict[str, Device]
) -> dict[str, bytes]:
    """Everything is made before anything is written."""
    files, titles = {}, {}
    with figures.style():
        for name, picture in _pictures(study, options, devices):
            titles[name] = picture.title
            figure = roofline.draw(picture)
            for kind in figures.SUFFIXES:
                files[name + kind] = figures.rendered(figure, kind)
    files["roofline.html"] = page.build(study)
    files["rows.csv"] = rows_csv.build(study)
    files["summary.md"] = summary.build(study, titles)
    return files


def _pictures(
    study: Study, options: argparse.Namespace, devices: dict[str, Device]
) -> Iterator[tuple[str, Picture]]:
    """Names of files, without suffix, and what they show."""
    yield "roofline", study.picture
    ops = sorted({point.case.op for point in study.found.points})
    if 1 < len(ops) <= _MOST_OPS:
        for op in ops:
            if re.fullmatch(r"[A-Za-z0-9_]{1,60}", op):
                title = f"{study.picture.title}: {op}"
                yield op, replace(subset(study, op).picture, title=title)
    for op in ops[:_MOST_OPS]:
        if re.fullmatch(r"[A-Za-z0-9_]{1,60}", op) and (part := subset(study, op)).pairs:
            title = f"{study.picture.title}: what fusion and own kernels gain in {op}"
            yield f"pairs.{op}", replace(part.picture, pairs=part.pairs, title=title)
    for name, device in devices.items():
        projected = make_study(options, device)
        if projected.found.points:
            yield f"projection.{name}", projected.picture
