# SPDX-License-Identifier: Apache-2.0
"""What the reader promises: every row classified, every bad file one clear sentence."""

import json
from collections import Counter
from pathlib import Path

import pytest

import synthetic
from gk import results, strict_json
from gk.errors import ExitCode, GkError
from gk.names import parse_case, parse_name
from gk.results import Kind
from gk.row_parser import Dialect, parse_row

FIXTURES = Path(__file__).parent / "fixtures"
EXPECTED = {
    "google_benchmark_1.5.0_by_hand": {"measured": 1, "aggregate": 1, "complexity": 2, "error": 1},
    "google_benchmark_1.7.1": {"measured": 12, "aggregate": 8, "complexity": 2, "error": 1},
    "google_benchmark_1.8.0_by_hand": {"skipped": 1, "aggregate": 2},
    "google_benchmark_1.9.5": {"measured": 8, "aggregate": 4, "complexity": 2, "error": 1},
}


def refusal(path, content=None):
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(GkError) as caught:
        results.read(path)
    message = str(caught.value)
    assert caught.value.exit_code is ExitCode.BAD_INPUT
    assert str(path) in message
    assert "\n" not in message
    return message


@pytest.mark.parametrize("stem", EXPECTED)
def test_every_row_of_a_google_benchmark_file_is_classified(stem):
    path = FIXTURES / f"{stem}.json"
    file = results.read(path)
    rows_in_file = path.read_text().count('"name":')
    assert file.counts() == EXPECTED[stem]
    assert sum(file.counts().values()) == len(file.rows) == rows_in_file
    assert not file.ours
    assert file.incomplete is None


def test_fixtures_tell_nothing_of_the_machine_that_made_them():
    for path in FIXTURES.glob("*.json"):
        text = path.read_text()
        assert '"host_name": "example"' in text
        assert '"executable": "./example"' in text
        assert "/home" not in text
        assert "/tmp" not in text


def test_mixed_time_units_become_seconds():
    rows = results.read(FIXTURES / "google_benchmark_1.7.1.json").rows
    manual = next(row for row in rows if row.name.stem == "BM_manual")
    assert manual.times.real_s == pytest.approx(1e-3)  # written in s
    mean = next(row for row in rows if "float" in row.name.full and row.statistic == "mean")
    assert 1e-7 < mean.times.real_s < 1e-4  # written in ms
    first = rows[0]
    assert 1e-10 < first.times.real_s < 1e-6  # written in ns


def test_a_coefficient_of_variation_is_never_taken_for_a_time():
    for stem in EXPECTED:
        rows = results.read(FIXTURES / f"{stem}.json").rows
        assert all(row.times is None for row in rows if row.statistic == "cv")


@pytest.mark.parametrize("marks", [{"aggregate_name": "cv"}, {"aggregate_unit": "percentage"}])
def test_either_mark_of_a_ratio_is_enough(marks):
    raw = {"name": "BM_x_cv", "run_name": "BM_x", "run_type": "aggregate", "real_time": 0.01}
    row = parse_row(0, raw | {"aggregate_name": "mine", "time_unit": "ns"} | marks, Dialect(False))
    assert (row.kind, row.times) == (Kind.AGGREGATE, None)


def test_error_rows_have_no_time_although_the_file_says_zero():
    row = next(r for r in results.read(FIXTURES / "google_benchmark_1.9.5.json").rows if r.reason)
    assert (row.kind, row.times, row.reason) == (Kind.ERROR, None, 'some error, "quoted"')


def test_a_counter_that_the_library_wrote_as_nan_is_undefined_not_an_error():
    rows = results.read(FIXTURES / "google_benchmark_1.7.1.json").rows
    row = next(row for row in rows if row.name.stem == "BM_nan/n:3")
    assert row.kind is Kind.MEASURED
    assert row.counters == {"not_finite": None}
    assert rows[0].counters["elements"] == 32


@pytest.mark.parametrize(
    ("full", "stem", "threads"),
    [
        ("BM_x<int, 4>/8/real_time", "BM_x<int, 4>/8", None),
        ("BM_x/8/min_time:0.500/repeats:9/process_time/real_time/threads:4", "BM_x/8", 4),
        ("BM_x/iterations:5/manual_time", "BM_x", None),
        ("BM_x/min_warmup_time:0.100/n:3", "BM_x/min_warmup_time:0.100/n:3", None),
        ("softmax/cpu/bf16/threads:2/cold/manual_time", "softmax/cpu/bf16/threads:2/cold", None),
    ],
)
def test_library_suffixes_are_stripped_from_the_end_only(full, stem, threads):
    assert parse_name(full).stem == stem
    assert parse_name(full).threads == threads


def test_thread_counts_keep_two_benchmarks_apart():
    one, two = parse_name("BM_x/threads:1"), parse_name("BM_x/threads:2")
    assert one.stem == two.stem
    assert one.key != two.key


def test_an_aggregate_without_run_name_loses_its_statistic():
    assert parse_name("BM_x/8/real_time_mean", aggregate="mean").stem == "BM_x/8"


def test_our_names_give_op_implementation_dtype_axes_and_cache():
    case = parse_case("gemv_decode/cpu_fused/bf16/n:4096/epilogue:none/warm")
    assert (case.op, case.implementation, case.dtype) == ("gemv_decode", "cpu_fused", "bf16")
    assert (case.axes, case.cache) == ({"n": 4096, "epilogue": "none"}, "warm")


@pytest.mark.parametrize(
    "stem", ["", "BM_x/8", "op/impl/bf16/n:1", "op/impl/bf16/n/cold", "op/i/bf16/n:1/n:2/cold"]
)
def test_other_names_are_not_taken_for_ours(stem):
    assert parse_case(stem) is None


def test_our_rows_are_classified_and_counted(tmp_path):
    rows = [synthetic.measured(problem) for problem in synthetic.problems()[:3]]
    rows += [synthetic.listed(synthetic.softmax(16, 4096))]
    rows += [synthetic.timeless(s, f"why {s}") for s in ("skipped", "wrong", "error", "hung")]
    rows += [synthetic.measured(synthetic.gemv(8, 8, 1), status="excellent"), 17]
    file = results.read(synthetic.write(tmp_path / "run.json", rows))
    assert sum(file.counts().values()) == len(rows)
    expected = {"skipped": 1, "wrong": 1, "error": 1, "hung": 1, "listed": 1, "measured": 3}
    assert file.counts() == expected | {"unreadable": 2}
    reasons = {row.kind: row.reason for row in file.rows}
    assert reasons[Kind.HUNG] == "why hung"


def test_a_row_keeps_the_order_index_times_work_and_score(tmp_path):
    problem = synthetic.gemv(4096, 4096, 1)
    file = results.read(synthetic.write(tmp_path / "run.json", [synthetic.measured(problem)]))
    (row,) = file.rows
    assert row.work.intensity == pytest.approx(0.9995, abs=1e-4)
    assert row.times.samples_s[0] == pytest.approx(row.times.real_s * 0.99)
    assert row.score.percent_of_ceiling == 80
    assert row.work.flops / row.times.real_s == pytest.approx(row.score.flop_per_s)


BAD_ROWS = {
    "'real_time' is not above zero": {"real_time": 0.0},
    "'real_time' is not a number": {"real_time": "12"},
    "'flops' is not a number": {"flops": True},
    "'real_time' is not finite": {"real_time": 10**400},
    "'time_unit' is 'h', not one of ns, us, ms, s": {"time_unit": "h"},
    "'unit' is 'tensor', neither 'matrix' nor 'vector'": {"unit": "tensor"},
    "'read_bytes' is missing or negative": {"read_bytes": None},
    "'dtype' contradicts the name": {"dtype": "f32"},
    "'status' is missing": {"status": None},
    "'samples_us' is not an array of finite numbers": {"samples_us": ["a"]},
    "'status' says measured, but 'error_occurred' is true": {"error_occurred": True},
}


@pytest.mark.parametrize("reason", BAD_ROWS)
def test_a_bad_row_is_unreadable_with_its_reason_and_spares_its_neighbours(tmp_path, reason):
    good = synthetic.measured(synthetic.softmax(16, 4096))
    bad = synthetic.measured(synthetic.gemv(64, 64, 1)) | BAD_ROWS[reason]
    file = results.read(synthetic.write(tmp_path / "run.json", [good, bad, good]))
    assert [row.kind for row in file.rows] == [Kind.MEASURED, Kind.UNREADABLE, Kind.MEASURED]
    assert file.rows[1].reason == reason


def test_emulated_rows_are_a_kind_of_their_own(tmp_path):
    row = synthetic.measured(synthetic.gemv(64, 64, 1), real_time=None, flop_per_s=None)
    path = synthetic.write(tmp_path / "e.json", [row], machine=synthetic.machine(emulated=True))
    file = results.read(path)
    assert file.emulated
    assert file.counts() == {"emulated": 1}


def test_a_file_cut_at_any_byte_keeps_its_whole_rows_and_says_so(tmp_path):
    rows = [synthetic.measured(synthetic.gemv(64, 64, 1), plan="naïve \\ é -1.5e-3 / 中")]
    rows += [synthetic.timeless("skipped", "no\n\u2603"), synthetic.listed(synthetic.softmax(1, 8))]
    rows = [{key: row[key] for key in row if row[key] is not None} for row in rows]
    document = synthetic.document(rows, ceilings=[])
    whole = json.dumps(document, ensure_ascii=False).encode()
    escaped = json.dumps(document).encode()
    for text in (whole, escaped):
        start = text.index(b'"benchmarks"')
        seen = Counter()
        for cut in range(start, len(text)):
            path = tmp_path / "run.json.partial"
            path.write_bytes(text[:cut])
            file = results.read(path)
            assert file.incomplete
            assert Kind.UNREADABLE not in file.counts()
            seen[len(file.rows)] += 1
        assert sorted(seen) == [0, 1, 2, 3]


def test_a_file_cut_inside_its_context_is_refused_at_every_byte(tmp_path):
    text = json.dumps(synthetic.document([]))
    for cut in range(1, text.index('"benchmarks"') - 4, 7):
        assert "cut before the end of its context" in refusal(tmp_path / "x.json", text[:cut])


def test_a_file_of_ours_without_complete_is_incomplete(tmp_path):
    document = synthetic.document([])
    del document["complete"]
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document))
    assert "did not end" in results.read(path).incomplete


GOOD = json.dumps(synthetic.document([synthetic.listed(synthetic.gemv(8, 8, 1))]))
BAD_FILES = {
    "empty": (b" \n", "the file is empty"),
    "not_utf8": (b'{"context": "\xff\xfe abc"}', "not UTF-8 at byte 13"),
    "not_json": ("name,time\nBM_x,12\n", "line 1: the top level is not a JSON object"),
    "array": ("[1]", "line 1: the top level is not a JSON object"),
    "garbage": ('{"context": {},\n "benchmarks": [{]}', "line 2: not JSON in benchmarks[0]"),
    "trailing": (GOOD + "{}", "text follows the end"),
    "twice": ('{"context": {}, "context": {}}', "'context' stands twice"),
    "no_benchmarks": ('{"context": {}}', "no 'benchmarks' array"),
    "no_context": ('{"benchmarks": []}', "no 'context' object"),
    "rows_not_array": ('{"context": {}, "benchmarks": {}}', "'benchmarks' is not an array"),
    "newer": (GOOD.replace('"schema_version": 1', '"schema_version": 2'), "2 is newer than 1"),
    "version": (GOOD.replace('"schema_version": 1', '"schema_version": "1"'), "positive integer"),
    "no_machine": (GOOD.replace('"machine"', '"engine"'), "context: 'machine' is missing"),
    "ceiling": (GOOD.replace('"level": "l3"', '"level": "l9"', 1), "ceilings[3]: 'level' is 'l9'"),
    "huge": (GOOD.replace('"value": 17000000000.0', '"value": 1e300', 1), "which no machine has"),
    "nan": (GOOD.replace('"flops": 128.0', '"flops": NaN'), "benchmarks[0] holds NaN"),
    "infinity": (GOOD.replace('"flops": 128.0', '"flops": -Infinity'), "benchmarks[0] holds NaN"),
    "key": (
        GOOD.replace('"flops":', '"op": 1, "flops":'),
        "benchmarks[0] holds the key 'op' twice",
    ),
    "nested": ('{"context": {}, "benchmarks": [' + "[" * 100_000, "nested too deeply"),
    "digits": ('{"context": {}, "benchmarks": [' + "9" * 5000 + "]}", "benchmarks[0]: Exceeds"),
    "missing_comma": ('{"context": {} "benchmarks": []}', "line 1: not JSON: '}' was expected"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_bad_file_is_refused_in_one_sentence_naming_file_and_place(tmp_path, kind):
    content, expected = BAD_FILES[kind]
    assert expected in refusal(tmp_path / "bad.json", content)


def test_missing_files_and_folders_are_refused(tmp_path):
    assert "cannot be read: No such file" in refusal(tmp_path / "missing.json")
    assert "cannot be read: Is a directory" in refusal(tmp_path)


def test_a_file_over_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(strict_json, "MAX_BYTES", 1 << 20)
    assert "larger than the limit of 1 MiB" in refusal(tmp_path / "big.json", b" " * (1 << 21))


def test_messages_cannot_carry_control_characters():
    assert str(GkError("a\x1b[31m\nb\ud800")) == "a?[31m?b?"


def test_twenty_thousand_rows_are_all_read(tmp_path):
    row = synthetic.measured(synthetic.gemv(4096, 4096, 1))
    path = synthetic.write(tmp_path / "big.json", [row] * 20_000)
    assert results.read(path).counts() == {"measured": 20_000}
