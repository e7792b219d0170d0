# SPDX-License-Identifier: Apache-2.0
"""Benchmark names: the one place that takes them apart."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

# Google Benchmark appends these in this order; they stand at the end of a run's name only.
_SUFFIX = re.compile(
    r"/(?:min_time:[0-9.]+s?|min_warmup_time:[0-9.]+s?|iterations:[0-9]+|repeats:[0-9]+"
    r"|process_time|real_time|manual_time|threads:(?P<threads>[0-9]{1,9}))$"
)
_CACHES = ("cold", "warm")
_WORD = re.compile(r"[a-z0-9_]+")
_INTEGER = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Case:
    """What one of our own names says."""

    op: str
    implementation: str
    dtype: str
    axes: Mapping[str, int | str]
    cache: str


@dataclass(frozen=True, slots=True)
class Name:
    """A benchmark's name. `full` is as written; `stem` is without the library's suffixes."""

    full: str
    stem: str
    threads: int | None  # of a `threads:N` suffix

    @property
    def key(self) -> str:
        """What makes two rows the same benchmark: the stem, and the thread count if named."""
        return self.stem if self.threads is None else f"{self.stem}/threads:{self.threads}"


def parse_name(full: str, run_name: str | None = None, aggregate: str | None = None) -> Name:
    """Strip the library's suffixes: `BM_x<int, 4>/8/real_time` has the stem `BM_x<int, 4>/8`.

    `run_name` is preferred where a file has it, as it lacks the aggregate's `_mean`; without
    it the given `aggregate` name is cut off.
    """
    stem = run_name if run_name is not None else full
    if run_name is None and aggregate:
        stem = stem.removesuffix(f"_{aggregate}")
    threads = None
    while match := _SUFFIX.search(stem):
        stem = stem[: match.start()]
        threads = int(match["threads"]) if match["threads"] else threads
    return Name(full, stem, threads)


def parse_case(stem: str) -> Case | None:
    """`<op>/<implementation>/<dtype>/<axis>:<value>/.../<cold|warm>`, or None if it is not that."""
    parts = stem.split("/")
    if len(parts) < 4 or parts[-1] not in _CACHES:
        return None
    op, implementation, dtype, *axes, cache = parts
    pairs = [axis.partition(":") for axis in axes]
    words = [op, implementation, dtype, *(key for key, _, _ in pairs)]
    if not all(map(_WORD.fullmatch, words)) or not all(value for _, _, value in pairs):
        return None
    values = {key: int(value) if _INTEGER.fullmatch(value) else value for key, _, value in pairs}
    return Case(op, implementation, dtype, values, cache) if len(values) == len(pairs) else None
