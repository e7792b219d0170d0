# SPDX-License-Identifier: Apache-2.0
"""Bad files: one sentence each, the documented exit code, whole rows salvaged, no old file lost."""

import json
import os
import subprocess
import sys
import time

import pytest

import synthetic
from drawing import SCRIPTS, run
from gk import names, results


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def document(**changes):
    return json.dumps(synthetic.document(synthetic.many(3)) | changes)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "the file is empty"),
        ("hello", "not a JSON object"),
        ("[1, 2]", "not a JSON object"),
        ("{}", "no 'context' object"),
        (b"\xff\xfe{", "not UTF-8 at byte 0"),
        (json.dumps({"context": {"schema_version": 99}}), "newer than 1"),
        (document(benchmarks={}), "'benchmarks' is not an array"),
        (document().replace('"real_time": ', '"real_time": NaN, "x": ', 1), "NaN or Infinity"),
        (document().replace('"iterations": 640', '"iterations": 6,40', 1), "a decimal comma?"),
        (document().replace('"cores": 2', '"cores": 1.5'), "'cores' is not an integer"),
    ],
)
def test_a_bad_file_is_one_sentence_with_2_and_no_picture(tmp_path, failing, text, part):
    path = write(tmp_path / "run.json", text)
    said = failing(2, path, "-o", tmp_path / "o.png")
    assert part in said
    assert str(path) in said
    assert not (tmp_path / "o.png").exists()


def test_one_benchmark_twice_is_refused_with_both_places(tmp_path, failing):
    rows = [*synthetic.many(3), synthetic.many(1)[0]]
    said = failing(2, synthetic.write(tmp_path / "run.json", rows))
    assert "stands twice, in benchmarks[0] and benchmarks[3]" in said


def test_the_same_name_in_two_files_is_two_runs_of_it(tmp_path, main):
    first = synthetic.write(tmp_path / "a.json", synthetic.many(2))
    second = synthetic.write(tmp_path / "b.json", synthetic.many(2))
    code, out, _ = main(first, second, "-o", tmp_path / "o.png")
    assert code == 0
    assert "rows read 4 = plotted 4 (as 2 points)" in out


@pytest.mark.parametrize("cut", [0.5, 0.7, 0.9, 0.99])
def test_a_cut_file_is_drawn_from_its_whole_rows_and_ends_with_3(tmp_path, main, cut):
    text = synthetic.write(tmp_path / "run.json", synthetic.many(12)).read_text()
    path = write(tmp_path / "cut.json", text[: int(len(text) * cut)])
    whole = len(results.read(path).rows)
    assert whole > 0
    code, out, _ = main(path, "-o", tmp_path / "o.png")
    assert code == 3
    assert f"rows read {whole} = plotted {whole}" in out


def test_a_file_cut_before_its_first_row_is_2_or_4(tmp_path, failing):
    text = synthetic.write(tmp_path / "run.json", synthetic.many(2)).read_text()
    assert "before the end of its context" in failing(2, write(tmp_path / "a.json", text[:300]))
    start = text.index('"benchmarks"')
    assert "nothing to plot" in failing(4, write(tmp_path / "b.json", text[: start + 20]))


def test_a_number_written_with_a_comma_inside_quotes_costs_one_row(tmp_path, main):
    rows = synthetic.many(3)
    rows[1]["real_time"] = "12,5"
    path = synthetic.write(tmp_path / "run.json", rows)
    code, out, _ = main(path, "-o", tmp_path / "o.png")
    assert code == 0
    assert "unreadable: 'real_time' is not a number" in out
    assert "plotted 2" in out


def test_numbers_beyond_a_float_reach_neither_page_nor_table(tmp_path, main, report):
    rows = [synthetic.measured(synthetic.gemv(64, 64, 1), sets=10**400, cold_factor=True)]
    path = synthetic.write(tmp_path / "run.json", rows)
    assert main(path, "-o", tmp_path / "o.html")[0] == 0
    assert report(path, "-o", tmp_path / "out")[0] == 0


def test_what_is_no_regular_file_is_refused_at_once(tmp_path, failing):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "not a regular file" in failing(2, pipe)
    assert "not a regular file" in failing(2, "/dev/zero")
    assert "Is a directory" in failing(2, tmp_path)


def test_thousands_of_ceilings_are_refused_and_hundreds_are_quick(tmp_path, failing, main):
    many = [synthetic.ceilings()[0] | {"reads": n, "writes": 1} for n in range(1, 5001)]
    path = synthetic.write(tmp_path / "a.json", synthetic.many(2), ceilings=many)
    assert "5000 ceilings, more than the limit of 500" in failing(2, path)
    peaks = synthetic.ceilings()[-3:]
    path = synthetic.write(tmp_path / "b.json", synthetic.many(2), ceilings=many[:490] + peaks)
    start = time.process_time()
    assert main(path, "-o", tmp_path / "o.png")[0] == 0
    assert time.process_time() - start < 10


def test_a_name_of_ten_thousand_suffixes_is_read_in_linear_time():
    name = "BM_x" + "/iterations:5" * 100_000
    start = time.process_time()
    assert names.parse_name(name).stem == "BM_x"
    assert time.process_time() - start < 2


def test_text_that_the_font_lacks_is_drawn_without_a_word_on_it(tmp_path):
    machine = synthetic.machine(name="\u8a08\u7b97\u6a5f \U0001f600 x\u0301")
    path = synthetic.write(tmp_path / "run.json", synthetic.many(2), machine=machine)
    done = run("roofline.py", path, "-o", f"{tmp_path / 'o.png'},{tmp_path / 'o.svg'}")
    assert done.returncode == 0
    assert done.stderr == ""


def test_a_reader_of_the_pipe_that_leaves_early_still_gets_its_picture(tmp_path):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(12))
    out = tmp_path / "o.png"
    command = f"{sys.executable} {SCRIPTS / 'roofline.py'} {path} --pairs -o {out} | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert out.stat().st_size > 1000


def test_an_old_picture_survives_a_bad_file_and_an_unwritable_place(tmp_path, failing):
    out = tmp_path / "o.png"
    out.write_text("old")
    failing(2, write(tmp_path / "run.json", "{"), "-o", out)
    assert out.read_text() == "old"
    path = synthetic.write(tmp_path / "good.json", synthetic.many(2))
    failing(2, path, "-o", out / "deeper.png")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["good.json", "o.png", "run.json"]


def test_output_has_no_colour_and_no_control_characters(tmp_path):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(3))
    for environment in ({"NO_COLOR": "1"}, {"FORCE_COLOR": "1", "TERM": "xterm-256color"}):
        done = run("roofline.py", path, "-o", tmp_path / "o.png", env=os.environ | environment)
        assert done.returncode == 0
        assert done.stdout.replace("\n", "").isprintable()
