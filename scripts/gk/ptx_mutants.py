# SPDX-License-Identifier: Apache-2.0
"""Small faults, planted one at a time into the PTX of the CUDA kernels."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

KINDS = ("barrier", "wait", "arrive", "fence", "warp barrier", "mask", "bound")

_ENTRY = re.compile(r"\.entry\s+(\w+)\s*\(")
_WARP_WIDE = re.compile(r"(shfl|vote|match|redux|elect|activemask|bar\.warp)\b")
_COMPARISONS = {
    "lt": "le",
    "le": "lt",
    "gt": "ge",
    "ge": "gt",
    "lo": "ls",
    "ls": "lo",
    "hi": "hs",
    "hs": "hi",
    "eq": "ne",
    "ne": "eq",
}
# An integer comparison; of floating-point values it is no bound.
_BOUND = re.compile(r"setp\.(lt|le|gt|ge|lo|ls|hi|hs|eq|ne)((?:\.\w+)*)\.([usb](?:16|32|64))\b")
_MASK = re.compile(r"[,\s]\s*(-?\w+|%\w+);$")
_CONSTANT = re.compile(r"mov\.b32\s+(%\w+), (-?\w+);")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: what it is, and where. Lines count from 0 in the module's text."""

    module: str  # the hash that the emulator names it by
    kernel: str  # as in PTX
    kind: str  # of KINDS
    change: str  # "removed", "lt to le", ...
    site: int  # which of the kernel's places of this kind, from 0
    line: int
    text: str  # what the line becomes

    @property
    def label(self) -> str:
        """Stable while the kernel's own code stays, beside the kernel's name."""
        return f"{self.kind}/{self.site}/{self.change}"


def _barrier_changes(code: str) -> Iterator[tuple[str, str, str]]:
    words = code.split(None, 1)[0].split(".")
    if words[:2] == ["bar", "warp"]:
        yield "warp barrier", "removed", ""
    elif words[0] in ("bar", "barrier"):
        kind = "arrive" if "arrive" in words else "wait" if "," in code else "barrier"
        if "red" not in words:
            yield kind, "removed", ""
        if kind != "barrier":
            yield (
                kind,
                "other barrier",
                re.sub(r"\s(\d+)", lambda m: f" {int(m[1]) + 1}", code, count=1),
            )


def _fence_changes(code: str) -> Iterator[tuple[str, str, str]]:
    if re.match(r"(membar|fence)\.", code):
        yield "fence", "removed", ""


def _mask_changes(code: str, constants: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    found = _MASK.search(code)
    if not found or not _WARP_WIDE.match(code):
        return
    text = constants.get(found[1], found[1])
    if text.startswith("%"):  # computed: which lanes it names is not known here
        return
    mask = int(text, 0) & 0xFFFFFFFF
    for change, other in (
        ("without the first lane", mask & (mask - 1)),
        ("without the last lane", mask & ~(1 << (mask.bit_length() - 1))),
    ):
        yield "mask", change, f"{code[: found.start(1)]}{other};"


def _bound_changes(code: str) -> Iterator[tuple[str, str, str]]:
    found = _BOUND.match(code)
    if found:
        other = _COMPARISONS[found[1]]
        changed = f"setp.{other}{found[2]}.{found[3]}{code[found.end() :]}"
        yield "bound", f"{found[1]} to {other}", changed


_FAMILIES = (_barrier_changes, _fence_changes, _bound_changes)


def _kernels(lines: list[str]) -> Iterator[tuple[str, int]]:
    """Every line of a kernel's body with the kernel's name."""
    kernel, depth = "", 0
    for number, line in enumerate(lines):
        if found := _ENTRY.search(line):
            kernel, depth = found[1], 0
        if not kernel:
            continue
        depth += line.count("{") - line.count("}")
        if line.strip():
            yield kernel, number
        if line.startswith("}"):
            kernel = ""


def _changes(code: str, constants: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for family in _FAMILIES:
        yield from family(code)
    yield from _mask_changes(code, constants)


def mutants_of(module: str, text: str) -> list[Mutant]:
    """All faults that can be planted into a module, in the order of its text."""
    lines = text.splitlines()
    sites: Counter[tuple[str, str]] = Counter()
    constants: dict[str, str] = {}  # registers that hold a number; nvcc writes each register once
    made, last_kernel = [], ""
    for kernel, number in _kernels(lines):
        if kernel != last_kernel:
            constants, last_kernel = {}, kernel
        code = lines[number].strip()
        if found := _CONSTANT.match(code):
            constants[found[1]] = found[2]
        guard, _, rest = code.partition(" ") if code.startswith("@") else ("", "", code)
        changes = list(_changes(rest.strip(), constants))
        for kind, change, changed in changes:
            replaced = f"{guard} {changed}".strip() if changed else ""
            site = sites[kernel, kind]
            made.append(Mutant(module, kernel, kind, change, site, number, replaced))
        sites.update((kernel, kind) for kind in {kind for kind, _, _ in changes})
    return made


def planted(mutant: Mutant, text: str) -> str:
    """The module's text with the fault in it."""
    lines = text.splitlines()
    lines[mutant.line] = mutant.text
    return "\n".join(lines) + "\n"
