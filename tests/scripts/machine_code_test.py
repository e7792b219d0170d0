# SPDX-License-Identifier: Apache-2.0
"""What the compiler made of the CUDA kernels: no spills, no given-up optimisations, wide accesses.

Reads the build in build/cpu, or the folder named by GK_BUILD.
"""

import os
from pathlib import Path

import pytest

from gk import ptxas, sass

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("GK_BUILD", ROOT / "build" / "cpu"))
OBJECTS = BUILD / "generated" / "cuda_objects.txt"

GOOD_LOG = """\
ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90a'
ptxas info    : Function properties for _Z1kPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 4096 bytes smem
"""
SPILLED = GOOD_LOG.replace("0 bytes spill loads", "16 bytes spill loads")
SERIALISED = GOOD_LOG + (
    "ptxas info    : (C7508) Potential Performance Loss: wgmma.mma_async instructions are"
    " serialized due to the presence of Extern calls in the function '_Z1kPf'\n"
)
DUMP = """\
arch = sm_90a
		Function : _Z1kPf
        /*0000*/                   LDC R1, c[0x0][0x28] ;      /* 0x00000a00ff017b82 */
        /*0010*/              @!P0 LDG.E.NA.128.CONSTANT R16, desc[UR4][R20.64] ;
        /*0020*/                   STG.E.EF.128 desc[UR4][R2.64], R4 ;
		Function : _Z2k2Pf
        /*0000*/                   LDL R1, [R2] ;
"""


def faults(log: str) -> list[str]:
    spills = [f"{report.kernel} spills" for report in ptxas.reports(log) if report.spill_bytes]
    return spills + ptxas.warnings(log)


def kernel_objects() -> list[Path]:
    if not OBJECTS.exists():
        pytest.skip(f"{BUILD} was built without CUDA")
    return [Path(line) for line in OBJECTS.read_text().split()]


def test_the_checker_lets_a_good_log_pass() -> None:
    assert faults(GOOD_LOG) == []


@pytest.mark.parametrize("log", [SPILLED, SERIALISED])
def test_the_checker_finds_spills_and_serialised_products(log: str) -> None:
    assert len(faults(log)) == 1


def test_every_kernel_file_has_its_log() -> None:
    for built in kernel_objects():
        log = Path(f"{built}.ptxas.log").read_text()
        assert list(ptxas.reports(log)), f"{built}: no kernel in its log"


def test_no_kernel_spills_or_lost_an_optimisation() -> None:
    found = {
        built.parent.name + "/" + built.name: faults(Path(f"{built}.ptxas.log").read_text())
        for built in kernel_objects()
    }
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_a_dump_is_read_function_by_function() -> None:
    first, second = sass.functions(DUMP)
    assert (first.name, first.arch) == ("_Z1kPf", "sm_90a")
    assert first.opcodes == ("LDC", "LDG.E.NA.128.CONSTANT", "STG.E.EF.128")
    assert first.count(r"LDG.*\.128.*") == 1
    assert second.count(r"(LDL|STL)\b.*") == 1


def test_kernels_access_memory_16_bytes_at_a_time_and_have_no_local_memory() -> None:
    objects = kernel_objects()
    path = sass.tool_path(ROOT)
    if path is None:
        pytest.skip("cuobjdump and nvdisasm are not installed (PyPI: nvidia-cuda-cuobjdump, ...)")
    for kernel in (one for built in objects for one in sass.disassemble(path, built)):
        assert kernel.count(r"(LDL|STL)\b.*") == 0, kernel.name
        # A kernel for ragged rows alone goes element by element.
        if "_ragged_kernel" not in kernel.name:
            assert kernel.count(r"LDG\..*128.*"), kernel.name
            assert kernel.count(r"STG\..*128.*"), kernel.name
