# SPDX-License-Identifier: Apache-2.0
"""The command `scripts/audit.sh`: what each CUDA kernel moves and executes, as a table."""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gk import ptxas
from gk.errors import ExitCode, GkError

_ROOT = Path(__file__).resolve().parents[2]

_EPILOG = """columns:
  regs, shared      registers and static + dynamic shared memory of the largest kernel of the chain
  read, written     DRAM bytes, in sectors of 32 bytes that were touched for the first time in a
                    launch; x: over the compulsory bytes of the problem
  reread            bytes of further requests for the same sectors, which a cache may serve
  ld/rq, st/rq      sectors of a load and a store request of a warp; %: least possible over actual
  bank              shared-memory cycles lost to bank conflicts
  flight            bytes of global loads that a thread issues before it uses the first: a lead
                    only, the machine code may order loads in another way
  instr             PTX instructions per output element; among them multiply-adds (fma), special
                    functions (mufu) and integer work (int)

Everything is counted in the emulator, on sizes that it can look at; nothing is a time.

examples:
  scripts/audit.sh
  scripts/audit.sh elementwise_swiglu/cuda_fused

exit codes: 0 audited; 1 a kernel is at fault; 2 bad usage; 4 no kernel of that name"""


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit code and prints one sentence for any failure."""
    options = _parse(arguments)
    try:
        return int(_run(options))
    except GkError as error:
        print(f"audit.sh: {error}", file=sys.stderr)
        return int(error.exit_code)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="audit.sh",
        description="Count what the CUDA kernels move and execute, in the emulator.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("filter", nargs="?", default="", help="regular expression over names")
    parser.add_argument("--build", type=Path, default=_ROOT / "build/cpu", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _run(options: argparse.Namespace) -> ExitCode:
    program = options.build / "gk_audit"
    if not program.is_file():
        raise GkError(f"{program}: not built, because no CUDA toolkit was found")
    done = subprocess.run([program, options.filter], capture_output=True, text=True, check=False)
    if done.returncode not in (ExitCode.OK, ExitCode.NOTHING_MEASURED):
        raise GkError(done.stderr.strip() or f"{program} ended with {done.returncode}")
    rows = json.loads(done.stdout)
    if not rows:
        raise GkError(f"no case matches '{options.filter}'", ExitCode.NOTHING_MEASURED)
    print(table(rows, registers_in(options.build)))
    faults = [row for row in rows if row.get("fault")]
    return ExitCode.FAILED if faults else ExitCode.OK


def registers_in(build: Path) -> dict[str, ptxas.Report]:
    """What ptxas said of the kernels, for the newest architecture that each was built for."""
    found = {}
    for log in ptxas.logs_in(build):
        for report in ptxas.reports(log.read_text()):
            if report.kernel not in found or report.arch > found[report.kernel].arch:
                found[report.kernel] = report
    return found


_HEADINGS = (
    "plan",
    "regs",
    "shared",
    "read",
    "x",
    "written",
    "x",
    "reread",
    "ld/rq",
    "%",
    "st/rq",
    "%",
    "bank",
    "flight",
    "instr",
    "fma",
    "mufu",
    "int",
)


def table(rows: list[dict[str, Any]], reports: dict[str, ptxas.Report]) -> str:
    """Every case with a line for each of its plans; then the faults and the skips, in full."""
    audited = [row for row in rows if "read_bytes" in row]
    cells = [_cells(row, reports) for row in audited]
    widths = [max(map(len, column)) for column in zip(_HEADINGS, *cells, strict=True)]
    lines = [_line(_HEADINGS, widths)]
    for i, row in enumerate(audited):
        if i == 0 or row["case"] != audited[i - 1]["case"]:
            lines.append(row["case"])
        lines.append(_line(cells[i], widths))
    lines += [f"FAULT    {row['case']}: {row['fault']}" for row in rows if row.get("fault")]
    lines += [f"skipped  {row['case']}: {row['skipped']}" for row in rows if "skipped" in row]
    return "\n".join(lines)


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    plan, *numbers = zip(cells, widths, strict=True)
    right = "".join(f"  {cell:>{width}}" for cell, width in numbers)
    return f"  {plan[0]:<{plan[1]}}{right}"


def _cells(row: dict[str, Any], reports: dict[str, ptxas.Report]) -> tuple[str, ...]:
    known = [reports[kernel] for kernel in row["kernels"] if kernel in reports]
    registers = max((report.registers for report in known), default=None)
    shared = max((report.shared_bytes for report in known), default=0)
    return (
        row["plan"],
        "?" if registers is None else str(registers),
        str(shared + row["dynamic_shared_bytes"]),
        _bytes(row["read_bytes"]),
        _ratio(row["read_bytes"], row["compulsory_read_bytes"]),
        _bytes(row["written_bytes"]),
        _ratio(row["written_bytes"], row["compulsory_written_bytes"]),
        _bytes(row["reread_bytes"]),
        f"{row['sectors_per_load']:.1f}",
        f"{100 * row['load_efficiency']:.0f}",
        f"{row['sectors_per_store']:.1f}",
        f"{100 * row['store_efficiency']:.0f}",
        str(row["bank_conflicts"]),
        f"{row['bytes_in_flight_per_thread']} B",
        f"{row['instructions_per_output']:.1f}",
        f"{row['multiply_adds_per_output']:.1f}",
        f"{row['special_per_output']:.1f}",
        f"{row['integer_per_output']:.1f}",
    )


def _bytes(count: float) -> str:
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def _ratio(part: float, whole: float) -> str:
    return f"{part / whole:.3f}" if whole else "-"
