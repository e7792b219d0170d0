# SPDX-License-Identifier: Apache-2.0
"""The machine code of the CUDA kernels in an object file, where NVIDIA's disassemblers are."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ARCH = re.compile(r"^arch = (sm_\w+)")
_FUNCTION = re.compile(r"^\s*Function : (\S+)")
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?([A-Z][\w.]*)")


@dataclass(frozen=True, slots=True)
class Function:
    """One kernel for one architecture; `opcodes` as in LDG.E.NA.128.CONSTANT."""

    name: str
    arch: str
    opcodes: tuple[str, ...]

    def count(self, pattern: str) -> int:
        return sum(1 for opcode in self.opcodes if re.fullmatch(pattern, opcode))


def functions(dump: str) -> Iterator[Function]:
    """What `cuobjdump -sass` printed, function by function."""
    arch, name, opcodes = "", "", []
    for line in dump.splitlines():
        if found := _INSTRUCTION.match(line):
            opcodes.append(found[1])
        elif found := _ARCH.match(line) or _FUNCTION.match(line):
            if name:
                yield Function(name, arch, tuple(opcodes))
            name, opcodes = "", []
            if found.re is _ARCH:
                arch = found[1]
            else:
                name = found[1]
    if name:
        yield Function(name, arch, tuple(opcodes))


def tool_path(root: Path) -> str | None:
    """A PATH with cuobjdump and nvdisasm, which it calls; None where they are not installed.

    Looked for in PATH, the toolkit, and NVIDIA's packages in .venv.
    """
    toolkits = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    folders = [os.environ["PATH"], *(f"{kit}/bin" for kit in toolkits if kit)]
    folders.append("/usr/local/cuda/bin")
    folders += map(str, root.glob(".venv/lib/python3*/site-packages/nvidia/cu13/bin"))
    path = os.pathsep.join(folders)
    found = all(shutil.which(tool, path=path) for tool in ("cuobjdump", "nvdisasm"))
    return path if found else None


def disassemble(path: str, object_file: Path) -> list[Function]:
    tool = shutil.which("cuobjdump", path=path)
    if tool is None:
        raise FileNotFoundError("cuobjdump")
    done = subprocess.run(
        [tool, "-sass", str(object_file)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": path},
    )
    return list(functions(done.stdout))
