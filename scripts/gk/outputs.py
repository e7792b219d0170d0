# SPDX-License-Identifier: Apache-2.0
"""Writes files whole or not at all."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from gk.errors import GkError


def write_file(path: Path, data: bytes) -> None:
    """Write `data`, making folders as needed. Raises GkError (2) where that is impossible."""
    partial = path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Beside it first: a full disk must not take the old file away.
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:
        _remove(partial)
        raise GkError(f"{path}: cannot be written: {error.strerror}") from None


def write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write all files of one folder, once all of them are made. Raises GkError (2)."""
    for name, data in files.items():
        write_file(folder / name, data)


def _remove(path: Path) -> None:
    with suppress(OSError):  # the first error is the one to tell
        path.unlink(missing_ok=True)
