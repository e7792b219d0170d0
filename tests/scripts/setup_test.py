# SPDX-License-Identifier: Apache-2.0
"""What bench.sh and test.sh say before they build anything."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IS_DEBIAN_12 = 'VERSION_ID="12"' in Path("/etc/os-release").read_text()


def fake_tool(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("script", ["bench.sh", "test.sh"])
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


@pytest.mark.parametrize("script", ["bench.sh", "test.sh"])
def test_help_is_shown_without_setting_anything_up(script: str) -> None:
    done = subprocess.run(
        [ROOT / "scripts" / script, "--help"],
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )
    assert done.returncode == 0
    assert f"scripts/{script}" in done.stdout


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
