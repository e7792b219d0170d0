# SPDX-License-Identifier: Apache-2.0
"""Typed access to the fields of a JSON object that somebody else wrote."""

import math
from collections.abc import Mapping

Json = Mapping[str, object]


class FieldError(Exception):
    """Says which field is missing or of the wrong type."""


def number(raw: Json, key: str) -> float | None:
    """The finite number at `key`; None where it is missing or null. Raises FieldError."""
    value = raw.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FieldError(f"'{key}' is not a number")
    try:
        value = float(value)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise FieldError(f"'{key}' is not finite")
    return value


def positive(raw: Json, key: str) -> float:
    """The number above zero at `key`. Raises FieldError."""
    value = number(raw, key)
    if value is None:
        raise FieldError(f"'{key}' is missing")
    if value <= 0:
        raise FieldError(f"'{key}' is not above zero")
    return value


def integer(raw: Json, key: str) -> int | None:
    """The integer at `key`; None where it is missing or null. Raises FieldError."""
    value = number(raw, key)
    if value is not None and value != int(value):
        raise FieldError(f"'{key}' is not an integer")
    return None if value is None else int(value)


def text(raw: Json, key: str) -> str | None:
    """The string at `key`; None where it is missing or null. Raises FieldError."""
    value = raw.get(key)
    if value is not None and not isinstance(value, str):
        raise FieldError(f"'{key}' is not a string")
    return value


def required_text(raw: Json, key: str) -> str:
    """The non-empty string at `key`. Raises FieldError."""
    value = text(raw, key)
    if not value:
        raise FieldError(f"'{key}' is missing")
    return value


def mapping(raw: Json, key: str) -> Json | None:
    """The object at `key`; None where it is missing or null. Raises FieldError."""
    value = raw.get(key)
    if value is not None and not isinstance(value, dict):
        raise FieldError(f"'{key}' is not an object")
    return value


def objects(raw: Json, key: str) -> list[Json]:
    """The array of objects at `key`; empty where it is missing or null. Raises FieldError."""
    value = raw.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise FieldError(f"'{key}' is not an array of objects")
    return value


def texts(raw: Json, key: str) -> tuple[str, ...]:
    """The array of strings at `key`; empty where it is missing or null. Raises FieldError."""
    value = raw.get(key)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise FieldError(f"'{key}' is not an array of strings")
    return tuple(value)


def numbers(raw: Json, key: str) -> tuple[float, ...]:
    """The array of finite numbers at `key`; empty where missing or null. Raises FieldError."""
    value = raw.get(key)
    if value is None:
        return ()
    try:
        if isinstance(value, list) and all(map(math.isfinite, value)):
            return tuple(map(float, value))
    except (TypeError, OverflowError):
        pass
    raise FieldError(f"'{key}' is not an array of finite numbers")
