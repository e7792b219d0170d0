# SPDX-License-Identifier: Apache-2.0
"""The command roofline.py: every row accounted for, exit codes, same input same bytes."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import synthetic
from drawing import SCRIPTS, composed, drawn, run, texts_of
from gk import figures
from gk.errors import GkError


def many_kinds():
    rows = [*synthetic.many(4), synthetic.many(1)[0] | {"repetition_index": 1}]
    rows += [synthetic.timeless("skipped", "no AMX here"), synthetic.timeless("wrong", "row 3")]
    ceiling = {"op": "ceiling_stream", "axes": {"reads": 1}, "work": (0.0, 64, 0)}
    rows += [synthetic.measured(synthetic.gemv(8, 8, 1)) | {"real_time": -1}]
    rows += [synthetic.measured(synthetic.gemv(8, 16, 1)) | {"real_time": 1e-300}]
    return [*rows, synthetic.listed(ceiling | {"dtype": "f32", "unit": "vector"}), "nonsense"]


def test_rows_read_are_rows_plotted_plus_rows_listed_with_a_reason(tmp_path, main):
    path = synthetic.write(tmp_path / "run.json", many_kinds())
    code, out, _ = main(path, "-o", tmp_path / "out.png")
    assert code == 0
    assert f"rows read {len(many_kinds())} = plotted 5 (as 4 points) + listed 6" in out
    assert "skipped: no AMX here" in out
    assert "wrong: row 3" in out
    assert "a ceiling: it is a roof" in out
    assert "unreadable: 'real_time' is not above zero" in out
    assert "row 10: unreadable: the row is not an object" in out
    assert "outside any sensible range" in out


def test_filters_leave_out_and_count(tmp_path, main):
    rows = [synthetic.measured(p) for p in synthetic.problems()]
    path = synthetic.write(tmp_path / "run.json", rows)
    code, out, _ = main(path, "--op", "gemm_prefill,softmax_scale_mask", "-o", tmp_path / "o.png")
    assert code == 0
    assert "rows read 26 = plotted 6 (as 6 points) + listed 20" in out
    assert "20 left out by --op gemm_prefill,softmax_scale_mask" in out


def test_suspect_rows_are_flagged_in_print_and_picture(tmp_path, main):
    rows = [synthetic.measured(synthetic.gemv(64, 64, 1), suspect="cache residency")]
    rows += [synthetic.measured(synthetic.gemv(64, 64, 8), percent=130)]
    path = synthetic.write(tmp_path / "run.json", rows)
    out = main(path, "-o", tmp_path / "o.png")[1]
    assert "suspect: gemv_decode/cpu_fused/bf16/n:64/k:64/batch:1" in out
    assert "130.0 % of its roof, above 102 %" in out
    texts = texts_of(drawn(path))
    assert texts.count("1!") == 2  # in the plot and in the table
    assert "1: suspect: cache residency" in texts


def test_an_incomplete_run_is_drawn_and_labelled(tmp_path, main):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(5))
    text = path.read_text()
    path.write_text(text[: text.rindex('"plan"')])
    out = tmp_path / "out.svg"
    code, printed, _ = main(path, "-o", out)
    assert code == 3  # drawn, and not to be compared
    assert out.stat().st_size > 1000
    assert "rows read 4 = plotted 4" in printed
    assert "incomplete: the file was cut after 4 whole rows" in printed
    assert "INCOMPLETE RUN" in composed(path).notes[0]


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_same_input_gives_same_bytes_whatever_the_hash_seed_and_user_style(tmp_path, suffix):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(12))
    (tmp_path / "matplotlibrc").write_text("font.size: 30\naxes.facecolor: red\n")
    found = []
    for seed, folder in (("1", tmp_path), ("2", "/")):
        out = tmp_path / f"{seed}.{suffix}"
        environment = os.environ | {"PYTHONHASHSEED": seed, "MATPLOTLIBRC": str(folder)}
        assert run("roofline.py", path, "-o", out, env=environment, cwd=folder).returncode == 0
        found.append(out.read_bytes())
    assert found[0] == found[1]
    assert not re.search(rb"<dc:date>|CreationDate|/Users/|/home/", found[0])


def test_several_outputs_and_the_default_beside_the_input(tmp_path, main):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(2))
    names = [tmp_path / "deep" / "a.svg", tmp_path / "b.pdf", tmp_path / "c.png"]
    assert main(path, "-o", f"{names[0]},{names[1]}", "-o", names[2])[0] == 0
    assert main(path)[0] == 0
    assert main(path, "--device", "a100_sxm")[0] == 0
    names += [tmp_path / "run.roofline.png", tmp_path / "run.roofline.a100_sxm.png"]
    assert all(name.stat().st_size > 1000 for name in names)


def test_it_runs_from_any_directory_and_its_help_has_examples(tmp_path):
    done = run("roofline.py", "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "--device h100_sxm" in done.stdout
    assert "exit codes" in done.stdout


def test_a_python_without_the_packages_gets_one_sentence_and_2(tmp_path):
    isolated = [
        sys.executable,
        "-S",
        str(SCRIPTS / "roofline.py"),
        "--help",
    ]  # -S: no site-packages
    done = subprocess.run(isolated, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert "needs the package 'matplotlib'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_bad_input_is_2(tmp_path, failing):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(2))
    assert "cannot be read" in failing(2, tmp_path / "none.json")
    assert "known: h100_sxm" in failing(2, path, "--device", "h900")
    assert ".png, .svg, .pdf, .html" in failing(2, path, "-o", tmp_path / "out.jpg")
    (tmp_path / "file").write_text("")
    assert "cannot be written" in failing(2, path, "-o", tmp_path / "file" / "out.png")
    assert run("roofline.py").returncode == 2


def test_names_of_any_length_stay_on_a_page(tmp_path, main):
    problems = [synthetic.gemv(n, 64, 1) for n in range(1, 400)]
    for problem in problems:
        problem["axes"] = {"n": problem["axes"]["n"], "word": f"{problem['axes']['n']}w" * 60}
    rows = [synthetic.measured(problem) for problem in problems]
    path = synthetic.write(tmp_path / "run.json", rows)
    assert main(path, "-o", tmp_path / "o.png")[0] == 0


def test_a_picture_taller_than_a_png_can_be_is_refused():
    with pytest.raises(GkError, match="too many points"):
        figures.new_figure(20_000)


def test_nothing_to_plot_is_4_and_still_accounts_for_the_rows(tmp_path, failing):
    path = synthetic.write(tmp_path / "run.json", [synthetic.timeless("skipped", "no GPU")])
    assert "rows read 1 = plotted 0 (as 0 points) + listed 1" in failing(4, path)
    foreign = Path(__file__).parent / "fixtures" / "google_benchmark_1.9.5.json"
    assert "no FLOPs: no positive counter 'flops'" in failing(4, foreign)
    bare = synthetic.write(
        tmp_path / "bare.json", [synthetic.listed(synthetic.gemv(8, 8, 1))], ceilings=[]
    )
    assert "no roof for bf16" in failing(4, bare)


def test_the_emulator_is_3_but_its_list_may_be_drawn(tmp_path, main, failing):
    emulated = {"machine": synthetic.machine(emulated=True)}
    path = synthetic.write(tmp_path / "run.json", synthetic.many(2), **emulated)
    assert "emulator" in failing(3, path)
    rows = [synthetic.listed(synthetic.gemv(8, 8, 1), "cuda_fused")]
    listing = synthetic.write(tmp_path / "list.json", rows, ceilings=[], **emulated)
    assert main(listing, "--device", "h100_sxm")[0] == 0


def test_files_of_two_machines_are_3(tmp_path, main, failing):
    first = synthetic.write(tmp_path / "a.json", synthetic.many(2))
    other = synthetic.machine(name="Another CPU")
    second = synthetic.write(tmp_path / "b.json", synthetic.many(2), machine=other)
    assert "another machine" in failing(3, first, second)
    assert "rows read 4 = plotted 4 (as 2 points)" in main(first, first)[1]


def test_hostile_names_reach_the_picture_as_plain_text(tmp_path, main):
    name = "CPU $\\frac{$ \x1b[31m <b>&amp;\u2028 \ud800" + "x" * 2000
    problem = synthetic.gemv(64, 64, 1)
    problem["axes"] = {"n": "$_{", "k": "w" * 300}
    row = synthetic.measured(problem)
    machine = synthetic.machine(name=name)
    path = synthetic.write(tmp_path / "run.json", [row], machine=machine)
    out = tmp_path / "out.svg"
    code, printed, _ = main(path, "-o", out)
    assert code == 0
    assert "\x1b" not in printed
    ElementTree.parse(out)


def test_a_file_without_a_name_is_one_sentence(main):
    code, _, err = main(".")
    assert code == 2
    assert "names no file" in err
