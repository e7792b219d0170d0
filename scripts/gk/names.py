# SPDX-License-Identifier: Apache-2.0
"""Benchmark names: the one place that takes them apart."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

# Google Benchmark appends these in this order; they stand at the end of a run's name only.
_SUFFIX = re.compile(
    r"min_time:[0-9.]+s?|min_warmup_time:[0-9.]+s?|iterations:[0-9]+|repeats:[0-9]+"
    r"|process_time|real_time|manual_time|threads:(?P<threads>[0-9]{1,9})"
)
_CACHES = ("cold", "warm")
UNKNOWN = "?"  # a part that a foreign name does not tell
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
    def is_wall_time(self) -> bool:
        """Whether the library's rates are over wall time; without such a suffix over CPU time."""
        return any(part in ("real_time", "manual_time") for part in self.full.split("/"))

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
    parts = stem.split("/")
    while len(parts) > 1 and (match := _SUFFIX.fullmatch(parts[-1])):
        threads = int(match["threads"]) if match["threads"] else threads
        parts.pop()
    return Name(full, "/".join(parts), threads)


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


def is_unfused(implementation: str) -> bool:
    """Whether it is a chain of kernels with intermediates in memory, by its name."""
    return "unfused" in implementation.split("_")


def is_own(implementation: str) -> bool:
    """Whether it is hand-written here, and no vendor's: file stems `cpu_*` and `cuda_*`."""
    return implementation.startswith(("cpu_", "cuda_"))
