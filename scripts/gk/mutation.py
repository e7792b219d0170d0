# SPDX-License-Identifier: Apache-2.0
"""Plants faults into the kernels' PTX, runs their tests, and counts the faults that nobody saw."""

import os
import random
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from gk.errors import ExitCode, GkError
from gk.ptx_mutants import Mutant, mutants_of, planted

ORDERS = ("forward", "reverse", "random:1", "random:2")
_LIMIT = "20000000"  # warp instructions of a launch: a fault may make a loop endless
_SECONDS = 120  # of one run of the tests

_RUN = re.compile(r"^\[ RUN      \] (\S+)")
_LAUNCH = re.compile(r"^emulator: launch (\w{16}) (\w+) (.+)$")


@dataclass(frozen=True, slots=True)
class Subject:
    """The test program, its modules' PTX by hash, and the tests that launch each kernel."""

    program: Path
    modules: dict[str, str]
    tests: dict[tuple[str, str], frozenset[str]]  # of (module, kernel)
    shown: dict[str, str]  # kernels' names in C++

    def name(self, mutant: Mutant) -> str:
        """How a fault is told of, and listed: `kernel/kind/site/change`."""
        return f"{self.shown[mutant.kernel]}/{mutant.label}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one fault."""

    mutant: Mutant
    caught_in: str | None  # the order in which a test turned red, or None
    reason: str | None = None  # why nobody can see it, where tests/emulator lists it


def _run(program: Path, tests: Iterable[str], **environment: str) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(
            [program, "--gtest_fail_fast", "--gtest_brief=0", f"--gtest_filter={':'.join(tests)}"],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except OSError as error:
        raise GkError(f"{program}: cannot be run: {error.strerror}") from error


def survey(program: Path, pattern: str) -> Subject:
    """Runs the unchanged tests once: they must pass. Notes which test launches what."""
    with tempfile.TemporaryDirectory() as folder:
        done = _run(program, [pattern], GK_EMULATOR_DUMP_PTX=folder, GK_EMULATOR_TRACE="1")
        if done.returncode != 0:
            tail = "\n".join((done.stdout + done.stderr).splitlines()[-5:])
            raise GkError(
                f"{program}: the tests fail without any fault planted:\n{tail}", ExitCode.FAILED
            )
        modules = {path.stem: path.read_text() for path in Path(folder).glob("*.ptx")}
    tests: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    test, shown = "", {}
    for line in done.stdout.splitlines():
        if found := _RUN.match(line):
            test = found[1]
        elif found := _LAUNCH.match(line):
            tests[found[1], found[2]].add(test)
            shown[found[2]] = found[3]
    frozen = {kernel: frozenset(names) for kernel, names in tests.items()}
    return Subject(program, modules, frozen, shown)


def candidates(subject: Subject) -> list[Mutant]:
    """The faults of all launched kernels, by name: hashes of modules change with the folder."""
    made = [m for module, text in subject.modules.items() for m in mutants_of(module, text)]
    return sorted((m for m in made if (m.module, m.kernel) in subject.tests), key=subject.name)


def sample(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """A seeded choice, in the order of the whole list."""
    if count >= len(mutants):
        return mutants
    chosen = random.Random(seed).sample(range(len(mutants)), count)
    return [mutants[i] for i in sorted(chosen)]


def try_one(subject: Subject, mutant: Mutant) -> Outcome:
    """Runs the kernel's tests in one order after the other until one of them turns red."""
    tests = sorted(subject.tests[mutant.module, mutant.kernel])
    with tempfile.TemporaryDirectory() as folder:
        text = planted(mutant, subject.modules[mutant.module])
        (Path(folder) / f"{mutant.module}.ptx").write_text(text)
        for order in ORDERS:
            try:
                done = _run(
                    subject.program,
                    tests,
                    GK_EMULATOR_PTX=folder,
                    GK_EMULATOR_ORDER=order,
                    GK_EMULATOR_LIMIT=_LIMIT,
                )
            except subprocess.TimeoutExpired:
                return Outcome(mutant, order)
            if done.returncode != 0:
                return Outcome(mutant, order)
    return Outcome(mutant, None)


def try_all(
    subject: Subject,
    mutants: list[Mutant],
    reasons: dict[str, str],
    progress: Callable[[int, int], None],
) -> list[Outcome]:
    """All of them, as many at a time as there are cores."""
    outcomes = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for outcome in pool.map(lambda mutant: try_one(subject, mutant), mutants):
            reason = reasons.get(subject.name(outcome.mutant))
            outcomes.append(Outcome(outcome.mutant, outcome.caught_in, reason))
            progress(len(outcomes), len(mutants))
    return outcomes


def read_reasons(path: Path) -> dict[str, str]:
    """Faults that change nothing, one a line: `name: why`. `#` begins a comment."""
    reasons = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, separator, reason = line.partition(": ")
        if not separator or not reason.strip():
            raise GkError(f"{path}:{number}: expected `name: why`")
        reasons[name.strip()] = reason.strip()
    return reasons
