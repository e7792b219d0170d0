# SPDX-License-Identifier: Apache-2.0
"""The audit's table, and what it says when there is nothing to audit."""

import json
import stat

import pytest

from gk import audit_command, ptxas
from gk.errors import ExitCode

ROW = {
    "case": "op/cuda_fused/f32/rows:64/cols:4096",
    "plan": "4 vectors a thread",
    "fault": None,
    "kernels": ["small", "big", "unknown"],
    "dynamic_shared_bytes": 100,
    "compulsory_read_bytes": 1000.0,
    "compulsory_written_bytes": 500.0,
    "read_bytes": 1024,
    "written_bytes": 500,
    "reread_bytes": 64,
    "sectors_per_load": 16.0,
    "sectors_per_store": 8.0,
    "load_efficiency": 1.0,
    "store_efficiency": 0.5,
    "bank_conflicts": 3,
    "bytes_in_flight_per_thread": 64,
    "instructions_per_output": 17.91,
    "special_per_output": 2.0,
    "multiply_adds_per_output": 3.0,
    "integer_per_output": 4.0,
}
REPORTS = {
    "small": ptxas.Report("small", "sm_90a", 20, 0, 28),
    "big": ptxas.Report("big", "sm_90a", 41, 0, 0),
}


def program(tmp_path, text, code=0):
    path = tmp_path / "gk_audit"
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {code}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return ["--build", str(tmp_path)]


def test_a_row_shows_the_largest_kernel_and_the_ratios():
    heading, case, row = audit_command.table([ROW], REPORTS).splitlines()
    assert "regs" in heading
    assert case == ROW["case"]
    for cell in (" 41 ", " 128 ", " 1.0 KB  1.024 ", " 500 B  1.000 ", " 64 B ", " 100 ", " 17.9 "):
        assert cell in row


def test_columns_align():
    rows = [ROW, {**ROW, "plan": "1", "read_bytes": 10**9}]
    heading, _, *lines = audit_command.table(rows, {}).splitlines()
    assert {len(line) for line in lines} == {len(heading)}
    assert "?" in lines[0], "registers that nobody reported are not guessed"


def test_faults_and_skips_are_in_full_and_a_fault_fails(tmp_path, capsys):
    rows = [
        {"case": "op/a", "plan": "1", "fault": "race on byte 3"},
        {"case": "op/b", "skipped": "its operands are over 64 MiB"},
    ]
    assert audit_command.main(program(tmp_path, json.dumps(rows))) == ExitCode.FAILED
    out = capsys.readouterr().out
    assert "FAULT    op/a: race on byte 3" in out
    assert "skipped  op/b: its operands are over 64 MiB" in out


@pytest.mark.parametrize(
    ("text", "code", "expected", "said"),
    [
        ("[]", 4, ExitCode.NOTHING_MEASURED, "no case matches"),
        ("", 2, ExitCode.BAD_INPUT, "ended with 2"),
    ],
)
def test_nothing_audited_is_one_sentence(tmp_path, capsys, text, code, expected, said):
    assert audit_command.main(program(tmp_path, text, code)) == expected
    assert said in capsys.readouterr().err


def test_a_build_without_cuda_is_told(tmp_path, capsys):
    assert audit_command.main(["--build", str(tmp_path)]) == ExitCode.BAD_INPUT
    assert "no CUDA toolkit" in capsys.readouterr().err
