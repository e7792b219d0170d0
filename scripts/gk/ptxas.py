# SPDX-License-Identifier: Apache-2.0
"""What ptxas said of each kernel: registers, spills, shared memory, and its warnings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_KERNEL = re.compile(r"Compiling entry function '(\w+)' for '(sm_\w+)'")
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")
_WARNING = re.compile(r"\bC75\d\d\b")


@dataclass(frozen=True, slots=True)
class Report:
    """One kernel for one architecture. Bytes are static: dynamic shared memory is the launch's."""

    kernel: str  # as in PTX
    arch: str
    registers: int
    spill_bytes: int  # stored and loaded
    shared_bytes: int


def reports(log: str) -> Iterator[Report]:
    """The kernels of one compilation, in the order of the log."""
    kernel, arch, spills = "", "", 0
    for line in log.splitlines():
        if found := _KERNEL.search(line):
            kernel, arch, spills = found[1], found[2], 0
        elif found := _SPILLS.search(line):
            spills = int(found[2]) + int(found[3])
        elif (found := _USED.search(line)) and kernel:
            shared = _SHARED.search(line)
            yield Report(kernel, arch, int(found[1]), spills, int(shared[1]) if shared else 0)
            kernel = ""


def warnings(log: str) -> list[str]:
    """Lines that say that ptxas gave up an optimisation a kernel relies on (C7508, C7510, ...).

    nvcc prints them as information only.
    """
    return [line for line in log.splitlines() if _WARNING.search(line)]


def logs_in(folder: Path) -> list[Path]:
    """The logs that the build left beside its objects."""
    return sorted(folder.rglob("*.ptxas.log"))
