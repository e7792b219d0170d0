# SPDX-License-Identifier: Apache-2.0
"""What the scripts say before they build anything."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ["audit.sh", "bench.sh", "mutate.sh", "test.sh"]
IS_DEBIAN_12 = 'VERSION_ID="12"' in Path("/etc/os-release").read_text()


def fake_tool(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.skipif(not IS_DEBIAN_12, reason="elsewhere than Debian 12 nothing is installed")
def test_without_root_the_missing_packages_command_is_printed(tmp_path: Path, script: str) -> None:
    fake_tool(tmp_path, "id", "echo 1000")
    fake_tool(
        tmp_path, "dpkg-query", 'case "$*" in *libhwy-dev*) exit 1 ;; *) echo installed ;; esac'
    )
    done = subprocess.run(
        [ROOT / "scripts" / script],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "apt-get install -y --no-install-recommends libhwy-dev" in done.stderr
    assert "libdnnl-dev" not in done.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["something", "-h"]])
@pytest.mark.parametrize("script", SCRIPTS)
def test_help_is_shown_without_setting_anything_up(
    tmp_path: Path, script: str, arguments: list[str]
) -> None:
    for tool in ("dpkg-query", "apt-get", "cmake", "ninja"):
        fake_tool(tmp_path, tool, f"touch {tmp_path}/set_up")
    # A checkout without .venv and build.
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    done = subprocess.run(
        [tmp_path / "scripts" / script, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        check=False,
        timeout=20,
    )
    assert done.returncode == 0
    assert f"scripts/{script}" in done.stdout
    assert not (tmp_path / "set_up").exists()
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("script", ["audit.sh", "mutate.sh"])
def test_what_needs_cuda_says_so_in_one_sentence(tmp_path: Path, script: str) -> None:
    fake_tool(tmp_path, "dpkg-query", "echo installed")
    fake_tool(tmp_path, "cmake", f"touch {tmp_path}/built")
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    (tmp_path / "build/cpu").mkdir(parents=True)
    (tmp_path / "build/cpu/build.ninja").write_text("build gk_bench: CXX_EXECUTABLE_LINKER\n")
    stamp = "mkdir .venv; source scripts/setup.sh; python_packages >.venv/requirements.txt"
    subprocess.run(["bash", "-c", stamp], cwd=tmp_path, check=True, timeout=20)
    done = subprocess.run(
        [tmp_path / "scripts" / script],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        check=False,
        timeout=20,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"{script}: needs a CUDA toolkit: ")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "built").exists()


@pytest.mark.parametrize(
    ("line", "is_target"),
    [
        ("build gk_audit: CXX_EXECUTABLE_LINKER__gk_audit_Release main.cpp.o", True),
        ("build gk_audit: phony tests/gk_audit", True),
        ("build tests/gk_audit tests/gk_audit[1]_tests.cmake: LINKER main.cpp.o", True),
        ("build cmake_object_order_depends_target_gk_audit: phony", False),
        ("build gk_audit_more: phony", False),
    ],
)
def test_targets_are_found_wherever_they_are_built(
    tmp_path: Path, line: str, is_target: bool
) -> None:
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    (tmp_path / "build/cpu").mkdir(parents=True)
    (tmp_path / "build/cpu/build.ninja").write_text(f"{line}\n")
    script = "source scripts/setup.sh; has_target cpu gk_audit"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, check=False, timeout=20)
    assert (done.returncode == 0) == is_target


def test_every_package_has_a_purpose() -> None:
    lines = (ROOT / "scripts" / "packages.txt").read_text().splitlines()
    entries = [line.split() for line in lines if line and not line.startswith("#")]
    assert all(len(entry) == 2 and entry[0] in ("build", "test") for entry in entries)
    packages = [entry[1] for entry in entries]
    assert len(packages) == len(set(packages))


@pytest.mark.parametrize(("has_toolkit", "wants_nvcc"), [("true", False), ("false", True)])
def test_nvcc_comes_from_pypi_only_where_there_is_no_toolkit(
    has_toolkit: str, wants_nvcc: bool
) -> None:
    script = f"source scripts/setup.sh; has_cuda_toolkit() {{ {has_toolkit}; }}; python_packages"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True, cwd=ROOT, timeout=20
    )
    assert ("nvidia-cuda-nvcc==" in done.stdout) == wants_nvcc
    assert "numpy==" in done.stdout
