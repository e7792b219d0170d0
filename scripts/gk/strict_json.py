# SPDX-License-Identifier: Apache-2.0
"""Reads one result document: bounded, strict, and able to salvage the whole rows of a cut file."""

import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gk.errors import GkError

MAX_BYTES = 256 << 20
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
# What the decoder leaves over when a number such as 1.5e-3 was cut in the middle.
_NUMBER_TAILS = (".", "e", "E", "e-", "e+", "E-", "E+")


@dataclass
class Document:
    """The top-level keys, the rows, and what was wrong with the text as a whole."""

    top: dict[str, object] = field(default_factory=dict)
    rows: list[object] | None = None
    cut: bool = False
    non_finite: str | None = None  # place of the first NaN or Infinity


class _CutError(Exception):
    """The text ended inside a value."""


class _DuplicateKeyError(Exception):
    """An object holds one key twice: two readers would see two different files."""


def load(path: Path) -> Document:
    """Read `path`; a text that merely ends too early comes back with `cut` set.

    Raises GkError (exit code 2) for anything that is not such a document.
    """
    data = _read_bytes(path)
    if not data.strip():
        raise GkError(f"{path}: the file is empty")
    try:
        text, cut = data.decode("utf-8-sig"), False
    except UnicodeDecodeError as error:
        cut = error.reason == "unexpected end of data" and error.end == len(data)
        if not cut:
            raise GkError(f"{path}: not UTF-8 at byte {error.start}") from None
        text = data[: error.start].decode("utf-8-sig")
    document = _Walker(text, path).document()
    document.cut |= cut
    return document


def _read_bytes(path: Path) -> bytes:
    try:
        # Without blocking: a FIFO would wait for a writer that may never come.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise GkError(f"{path}: not a regular file")
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise GkError(f"{path}: cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise GkError(f"{path}: larger than the limit of {MAX_BYTES >> 20} MiB")
    return data


class _Walker:
    """Walks the top-level object and its rows itself, so that every error has a place."""

    def __init__(self, text: str, path: Path) -> None:
        self._text, self._path, self._pos = text, path, 0
        self._saw_constant = False
        self._decoder = json.JSONDecoder(
            object_pairs_hook=_unique_keys, parse_constant=self._constant
        )

    def document(self) -> Document:
        document = Document()
        try:
            if self._peek() != "{":
                raise self._error("the top level is not a JSON object")
            self._members(document)
        except _CutError:
            document.cut = True
        return document

    def _members(self, document: Document) -> None:
        for _ in self._items("{", "}"):
            if self._peek() != '"':
                raise self._error("not JSON: a key was expected")
            key = self._value("a top-level key", document)
            if key in document.top:
                raise self._error(f"the key '{key}' stands twice at the top level")
            self._take(":")
            if key == "benchmarks":
                document.top[key] = None
                self._rows(document)
            else:
                document.top[key] = self._value(f"'{key}'", document)
        if self._pos < len(self._text) and self._text[self._pos :].strip():
            raise self._error("text follows the end of the document")

    def _rows(self, document: Document) -> None:
        if self._peek() != "[":
            raise self._error("'benchmarks' is not an array")
        document.rows = []
        for _ in self._items("[", "]"):
            document.rows.append(self._value(f"benchmarks[{len(document.rows)}]", document))

    def _items(self, opening: str, closing: str) -> Iterator[None]:
        """Yields once per item between the brackets; the caller consumes the item."""
        self._take(opening)
        if self._peek() == closing:
            self._take(closing)
            return
        yield
        while self._peek() == ",":
            self._take(",")
            yield
        self._take(closing)

    def _value(self, place: str, document: Document) -> object:
        self._peek()
        try:
            value, self._pos = self._decoder.raw_decode(self._text, self._pos)
        except json.JSONDecodeError as error:
            if _ended_early(self._text, error):
                raise _CutError from None
            self._pos = error.pos
            hint = " (a number with a decimal comma?)" if self._decimal_comma() else ""
            raise self._error(f"not JSON in {place}: {error.msg}{hint}") from None
        except _DuplicateKeyError as error:
            raise self._error(f"{place} holds the key '{error}' twice") from None
        except RecursionError:
            raise self._error(f"{place} is nested too deeply") from None
        except ValueError as error:  # an integer of more than 4300 digits
            raise self._error(f"{place}: {error}") from None
        if self._saw_constant and document.non_finite is None:
            document.non_finite = place
        return value

    def _constant(self, name: str) -> float:
        self._saw_constant = True
        return float(name)

    def _decimal_comma(self) -> bool:
        """Whether the error stands in a number such as 1,5: some locales write it so."""
        around = self._text[max(0, self._pos - 2) : self._pos + 2]
        return re.search(r"[0-9],[0-9]", around) is not None

    def _peek(self) -> str:
        while self._pos < len(self._text) and self._text[self._pos] in " \t\r\n":
            self._pos += 1
        if self._pos == len(self._text):
            raise _CutError
        return self._text[self._pos]

    def _take(self, expected: str) -> None:
        if self._peek() != expected:
            raise self._error(f"not JSON: '{expected}' was expected")
        self._pos += 1

    def _error(self, message: str) -> GkError:
        line = self._text.count("\n", 0, self._pos) + 1
        return GkError(f"{self._path}: line {line}: {message}")


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # Interned, as the rows of a file have the same keys.
    result = {sys.intern(key): value for key, value in pairs}
    if len(result) != len(pairs):
        seen: set[str] = set()
        raise _DuplicateKeyError(next(key for key, _ in pairs if key in seen or seen.add(key)))
    return result


def _ended_early(text: str, error: json.JSONDecodeError) -> bool:
    """Whether more text could have made this valid; tested by cutting a file at every byte."""
    rest = text[error.pos : error.pos + 16].rstrip()
    if not rest or error.msg.startswith("Unterminated string"):
        return True
    if error.msg.startswith("Invalid \\u"):
        return len(text) - error.pos < 8
    if error.pos + len(rest) < len(text):
        return False
    return rest in _NUMBER_TAILS or any(literal.startswith(rest) for literal in _LITERALS)
