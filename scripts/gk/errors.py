# SPDX-License-Identifier: Apache-2.0
"""The documented exit codes, and the one exception that carries them."""

import unicodedata
from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of every command (docs/results.md)."""

    OK = 0
    FAILED = 1
    BAD_INPUT = 2
    NOT_COMPARABLE = 3
    NOTHING_MEASURED = 4


class GkError(Exception):
    """One clear sentence for the user, and the exit code that a command ends with."""

    def __init__(self, message: str, exit_code: ExitCode = ExitCode.BAD_INPUT) -> None:
        """`message` names the file and the place in it."""
        super().__init__(printable(message))
        self.exit_code = exit_code


def printable(text: str) -> str:
    """Text from a file made safe for a terminal, an SVG and a font: no control characters.

    Half surrogates cannot be encoded, and an escape sequence could rewrite the terminal.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join("?" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Cn") else c for c in text)
