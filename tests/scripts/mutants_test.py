# SPDX-License-Identifier: Apache-2.0
"""Planting faults: which there are, where they go, and how they are counted."""

import pytest

from gk import mutate_command, mutation
from gk.errors import ExitCode, GkError
from gk.mutation import Outcome, Subject
from gk.ptx_mutants import KINDS, Mutant, mutants_of, planted

PTX = """\
.version 9.0
.visible .entry first(.param .u64 p)
{
\tmov.b32 %r5, -1;
\tsetp.lt.s32 %p1, %r1, %r2;
\tsetp.lt.f32 %p2, %f1, %f2;
\tbar.sync 0;
\tbar.sync 1, 64;
\tbar.arrive 2, 64;
\tmembar.gl;
\t@%p1 shfl.sync.bfly.b32 %r6|%p3, %r2, 16, 31, %r5;
\tbar.warp.sync 0x0000ffff;
\tvote.sync.any.pred %p4, %p1, %r9;
}
.visible .entry second()
{
\tsetp.ge.and.u32 %p1, %r1, 7, %p2;
}
"""


def found(kernel, kind):
    return [m for m in mutants_of("0", PTX) if (m.kernel, m.kind) == (kernel, kind)]


def test_every_kind_of_place_is_found():
    counts = {kind: len(found("first", kind)) for kind in KINDS}
    assert counts == {
        "barrier": 1,
        "wait": 2,
        "arrive": 2,
        "fence": 1,
        "warp barrier": 1,
        "mask": 4,
        "bound": 1,
    }


def test_only_comparisons_of_integers_are_bounds():
    assert [m.text for m in found("first", "bound")] == ["setp.le.s32 %p1, %r1, %r2;"]
    assert [m.text for m in found("second", "bound")] == ["setp.gt.and.u32 %p1, %r1, 7, %p2;"]


def test_a_mask_in_a_register_is_replaced_and_its_guard_kept():
    texts = [m.text for m in found("first", "mask")]
    assert texts[0] == "@%p1 shfl.sync.bfly.b32 %r6|%p3, %r2, 16, 31, 4294967294;"
    assert texts[1].endswith(", 2147483647;")
    assert texts[2:] == ["bar.warp.sync 65534;", "bar.warp.sync 32767;"]


def test_a_fault_changes_one_line():
    mutant = found("first", "fence")[0]
    before, after = PTX.splitlines(), planted(mutant, PTX).splitlines()
    changed = [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert changed == [9]
    assert after[9] == ""


def test_sites_are_numbered_by_kernel_and_kind():
    assert [m.label for m in found("first", "wait")] == ["wait/0/removed", "wait/0/other barrier"]


def outcome(caught, reason=None, kind="barrier"):
    return Outcome(Mutant("0", "k", kind, "removed", 0, 0, ""), caught, reason)


def score(outcomes, is_full=False):
    subject = Subject(None, {}, {}, {"k": "k()"})
    return mutate_command._report(subject, outcomes, len(outcomes), is_full)


def full_run(least_of_a_kind=3, count=100):
    few = [outcome("forward", kind=kind) for kind in KINDS for _ in range(least_of_a_kind)]
    return few + [outcome("forward", kind="bound")] * (count - len(few))


def test_95_percent_pass_and_less_fails(capsys):
    seen = [outcome("forward")] * 19
    assert score([*seen, outcome(None)]) == ExitCode.OK
    assert "95.0 %" in capsys.readouterr().out
    assert score([*seen, outcome(None), outcome(None)]) == ExitCode.FAILED
    assert "not seen: k()/barrier/0/removed" in capsys.readouterr().out


def test_a_listed_fault_that_is_seen_fails(capsys):
    assert score([outcome("forward")] * 19 + [outcome("reverse", "why")]) == ExitCode.FAILED
    assert "listed, and seen" in capsys.readouterr().out


def test_a_full_run_passes_with_100_faults_and_3_of_each_kind():
    assert score(full_run(), is_full=True) == ExitCode.OK


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        (full_run() + [outcome(None, "why")] * 12, "more than 10 % are listed"),
        (full_run(count=99), "fewer than 100 faults were planted\n"),
        (full_run(2), "planted of: barrier, wait, arrive, fence, warp barrier, mask\n"),
        (
            [outcome("forward")] * 100,
            "planted of: wait, arrive, fence, warp barrier, mask, bound\n",
        ),
    ],
)
def test_a_full_run_of_too_few_faults_fails_and_a_part_does_not(outcomes, said, capsys):
    assert score(outcomes, is_full=True) == ExitCode.FAILED
    assert said in capsys.readouterr().out
    assert score(outcomes) == ExitCode.OK
    assert said not in capsys.readouterr().out


def test_a_sample_is_the_same_for_the_same_seed_and_keeps_the_order():
    mutants = mutants_of("0", PTX)
    chosen = mutation.sample(mutants, 5, 7)
    assert chosen == mutation.sample(mutants, 5, 7)
    assert chosen == sorted(chosen, key=mutants.index)
    assert mutation.sample(mutants, 1000, 7) == mutants


def test_reasons_need_a_name_and_a_why(tmp_path):
    path = tmp_path / "reasons.txt"
    path.write_text("# comment\n\nk()/bound/0/ge to gt: the last is never reached\n")
    assert mutation.read_reasons(path) == {"k()/bound/0/ge to gt": "the last is never reached"}
    path.write_text("k()/bound/0/ge to gt\n")
    with pytest.raises(GkError, match=r"reasons\.txt:1"):
        mutation.read_reasons(path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--program", "/nonexistent"], "no such program"),
        (["--program", "/etc/passwd"], "cannot be run"),
        (["--program", "/bin/true", "--sample", "0"], "has to be 1 or more"),
        (["--program", "/bin/true"], "nothing to plant"),
    ],
)
def test_bad_input_is_one_sentence_and_2(arguments, said, capsys):
    assert mutate_command.main(arguments) == ExitCode.BAD_INPUT
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_tests_that_fail_without_a_fault_are_told(capsys):
    assert mutate_command.main(["--program", "/bin/false"]) == ExitCode.FAILED
    assert "fail without any fault planted" in capsys.readouterr().err
