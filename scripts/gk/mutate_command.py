# SPDX-License-Identifier: Apache-2.0
"""The command `scripts/mutate.sh`: how many planted faults the CUDA tests see."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from gk import mutation
from gk.errors import ExitCode, GkError
from gk.mutation import Outcome, Subject
from gk.ptx_mutants import KINDS, Mutant

_ROOT = Path(__file__).resolve().parents[2]
# The kernels' own tests: not those of faulty kernels, nor of the emulator.
_TESTS = "*Cuda*:*Correctness*"
_LEAST_CAUGHT = 0.95  # of the faults that change something
_MOST_EQUIVALENT = 0.10  # of all faults
# Of a full run: fewer say that places are no longer found, or kernels no longer launched.
_LEAST_PLANTED = 100
_LEAST_OF_A_KIND = 3

_EPILOG = """examples:
  scripts/mutate.sh                      every fault, in some minutes
  scripts/mutate.sh --sample 20          20 of them, the same for the same --seed
  scripts/mutate.sh --kernel softmax     of the kernels whose name has this in it
  scripts/mutate.sh --list               what would be planted

exit codes: 0 at least 95 % of the faults that change something are seen; 1 fewer, too few planted
in a full run, or tests that fail without a fault; 2 bad input or usage"""


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit code and prints one sentence for any failure."""
    options = _parse(arguments)
    try:
        return int(_run(options))
    except GkError as error:
        print(f"mutate.sh: {error}", file=sys.stderr)
        return int(error.exit_code)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="mutate.sh",
        description="Plant faults into the PTX of the CUDA kernels, one at a time, and see whether "
        "the tests turn red in the emulator.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--program",
        type=Path,
        metavar="FILE",
        help="the test program",
        default=_ROOT / "build/cpu/tests/gk_test_emulated",
    )
    parser.add_argument("--tests", default=_TESTS, metavar="PATTERN", help="of GoogleTest")
    parser.add_argument("--kernel", default="", metavar="TEXT", help="only kernels named like this")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of them")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--list", action="store_true", help="list the faults and stop")
    return parser.parse_args(arguments)


def _run(options: argparse.Namespace) -> ExitCode:
    if not options.program.is_file():
        raise GkError(f"{options.program}: no such program; build gk_test_emulated first")
    if options.sample is not None and options.sample < 1:
        raise GkError(f"--sample {options.sample}: has to be 1 or more")
    reasons = mutation.read_reasons(_ROOT / "tests/emulator/equivalent_mutants.txt")
    subject = mutation.survey(options.program, options.tests)
    available = mutation.candidates(subject)
    mutants = [m for m in available if options.kernel in subject.shown[m.kernel]]
    if not mutants:
        raise GkError("nothing to plant: no kernel of that name is launched", ExitCode.BAD_INPUT)
    if options.list:
        print("\n".join(subject.name(mutant) for mutant in mutants))
        return ExitCode.OK
    chosen = mutation.sample(mutants, options.sample or len(mutants), options.seed)
    outcomes = mutation.try_all(subject, chosen, reasons, _progress)
    is_full = options.tests == _TESTS and len(chosen) == len(available)
    return _report(subject, outcomes, len(mutants), is_full)


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(
            f"\r{done} of {total} faults tried",
            end="\n" if done == total else "",
            file=sys.stderr,
            flush=True,
        )


def _report(subject: Subject, outcomes: list[Outcome], available: int, is_full: bool) -> ExitCode:
    equivalent = [o for o in outcomes if o.reason]
    real = [o for o in outcomes if not o.reason]
    seen = [o for o in real if o.caught_in]
    wrongly_listed = [o for o in equivalent if o.caught_in]
    _print_kinds(outcomes)
    _print_names(subject, "not seen", [o.mutant for o in real if not o.caught_in])
    _print_names(subject, "listed, and seen", [o.mutant for o in wrongly_listed])
    share = len(seen) / len(real) if real else 1.0
    print(
        f"{len(outcomes)} of {available} faults planted; {len(equivalent)} change nothing; "
        f"{len(seen)} of the other {len(real)} seen, {100 * share:.1f} %"
    )
    complaints = _complaints(outcomes) if is_full else []
    print("".join(f"{complaint}\n" for complaint in complaints), end="")
    passed = share >= _LEAST_CAUGHT and not wrongly_listed and not complaints
    return ExitCode.OK if passed else ExitCode.FAILED


def _complaints(outcomes: list[Outcome]) -> list[str]:
    """What is wrong with the faults of a full run themselves, whoever saw them."""
    said = []
    if sum(o.reason is not None for o in outcomes) > _MOST_EQUIVALENT * len(outcomes):
        said.append(f"more than {100 * _MOST_EQUIVALENT:.0f} % are listed as changing nothing")
    if len(outcomes) < _LEAST_PLANTED:
        said.append(f"fewer than {_LEAST_PLANTED} faults were planted")
    of_kind = Counter(o.mutant.kind for o in outcomes)
    few = [kind for kind in KINDS if of_kind[kind] < _LEAST_OF_A_KIND]
    if few:
        said.append(f"fewer than {_LEAST_OF_A_KIND} faults were planted of: {', '.join(few)}")
    return said


def _print_kinds(outcomes: list[Outcome]) -> None:
    kinds = sorted({o.mutant.kind for o in outcomes})
    print(f"{'fault in':14}{'planted':>9}{'seen':>6}{'no change':>11}{'not seen':>10}")
    for kind in kinds:
        of_kind = [o for o in outcomes if o.mutant.kind == kind]
        equivalent = sum(o.reason is not None for o in of_kind)
        seen = sum(o.reason is None and o.caught_in is not None for o in of_kind)
        missed = len(of_kind) - equivalent - seen
        print(f"{kind:14}{len(of_kind):>9}{seen:>6}{equivalent:>11}{missed:>10}")


def _print_names(subject: Subject, title: str, mutants: list[Mutant]) -> None:
    for mutant in mutants:
        print(f"{title}: {subject.name(mutant)} (PTX line {mutant.line + 1})")
