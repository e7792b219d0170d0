# SPDX-License-Identifier: Apache-2.0
"""The command report.py: one folder with everything, safe to paste, or nothing at all."""

import csv
import io
import os
import re

import pytest

import synthetic
from chains import block, chain
from drawing import run
from google_benchmark import row, write

ALWAYS = {"roofline.png", "roofline.svg", "roofline.pdf"}
ALWAYS |= {"roofline.html", "rows.csv", "summary.md"}


def mixed():
    rows = [*block(chain()), *block(synthetic.gemv(4096, 4096, 1), {"onednn": 60, "cpu_fused": 45})]
    rows[-1] |= {"speedup_vs_best_vendor": 0.75, "speedup_p10": 0.7, "speedup_p90": 0.8}
    rows += [synthetic.timeless("skipped", "no AMX here"), synthetic.timeless("wrong", "row | 3")]
    return rows


@pytest.fixture
def made(tmp_path, report):
    """The folder of some rows."""

    def make(rows, *options, **context):
        path = synthetic.write(tmp_path / "run.json", rows, **context)
        code, out, err = report(path, "-o", tmp_path / "out", *options)
        assert (code, err) == (0, "")
        assert set(re.findall(r"wrote .*/(\S+)", out)) == {
            file.name for file in (tmp_path / "out").iterdir()
        }
        return tmp_path / "out"

    return make


def test_one_command_makes_the_whole_folder(made):
    folder = made(mixed(), "--device", "h100_sxm,a100_sxm")
    names = {file.name for file in folder.iterdir()}
    figures = ["elementwise_bias_gelu_residual", "gemv_decode"]
    figures += [f"pairs.{op}" for op in figures]
    figures += ["projection.h100_sxm", "projection.a100_sxm"]
    kinds = (".png", ".svg", ".pdf")
    assert names == ALWAYS | {name + kind for name in figures for kind in kinds}
    summary = (folder / "summary.md").read_text()
    links = re.findall(r"\]\(([^)]+)\)", summary)
    assert links
    assert set(links) <= names


def test_one_op_needs_no_figure_of_its_own(made):
    folder = made([synthetic.measured(synthetic.gemv(64, 64, 1))])
    assert {file.name for file in folder.iterdir()} == ALWAYS


def test_the_summary_has_machine_method_losses_bounds_and_skips(made):
    summary = (made(mixed()) / "summary.md").read_text()
    assert "| device | Example CPU at 2.6 GHz (cpu:0) |" in summary
    assert "| DRAM, 1 read : 0 written | 17 GB/s |" in summary
    assert "| seed, inputs | 42, uniform\\[-1,1) |" in summary
    assert "7 rows read = 5 plotted (as 5 points) + 2 listed" in summary
    assert "1 faster, 1 slower. Losses first." in summary
    vendor = summary[summary.index("## Own against vendor") :]
    assert vendor.index("0.75 (0.70 to 0.80) | slower") < vendor.index("1.50 (1.40 to 1.60) | fas")
    assert "| gemv_decode | bf16 | cold | memory | 2 | 45.0 to 60.0 | 52.5 |" in summary
    assert "| 1 | skipped: no AMX here |" in summary
    assert "| 1 | wrong: row \\| 3 |" in summary


def test_a_gain_that_rests_on_a_suspect_row_is_not_counted_as_one(made):
    rows = block(synthetic.gemv(4096, 4096, 1), {"onednn": 60, "cpu_fused": 140})
    summary = (made(rows) / "summary.md").read_text()
    assert "1 suspect. Losses first." in summary
    assert "## Not to be believed" in summary
    assert "faster" not in summary[summary.index("Against the best") :].split("\n")[0]


def test_the_csv_has_every_row_and_the_points_figures(made):
    text = (made([*mixed(), "nonsense"]) / "rows.csv").read_text()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 8
    assert [row["status"] for row in rows].count("measured") == 5
    assert float(rows[1]["percent_of_roof"]) == 60
    assert rows[5]["not_plotted_because"] == "skipped: no AMX here"
    assert rows[7]["not_plotted_because"] == "unreadable: the row is not an object"
    assert all(row["not_plotted_because"] == "" for row in rows[:5])


def test_repetitions_stand_in_the_csv_beside_the_one_that_is_the_point(made):
    problem = synthetic.gemv(64, 64, 1)
    rows = [
        synthetic.measured(problem, percent=percent, repetition_index=index)
        for index, percent in enumerate((50, 90, 60))
    ]
    found = list(csv.DictReader(io.StringIO((made(rows) / "rows.csv").read_text())))
    assert [row["percent_of_roof"] for row in found] == ["", "", "60.0"]
    assert found[0]["not_plotted_because"].startswith("a repetition")


def test_hostile_text_is_harmless_in_markdown_csv_and_html(made):
    evil = "=1+1|<script>alert(1)</script>\x1b[31m`*"
    rows = [synthetic.measured(synthetic.gemv(64, 64, 1), plan=evil, suspect=evil)]
    folder = made(rows, machine=synthetic.machine(name=evil))
    summary = (folder / "summary.md").read_text()
    assert "<script>" not in summary
    assert "\x1b" not in summary
    assert "\\|&lt;script&gt;" in summary
    assert "\x1b" not in (folder / "rows.csv").read_text()
    cells = next(csv.DictReader(io.StringIO((folder / "rows.csv").read_text())))
    assert cells["plan"].startswith("'=1+1")
    page = (folder / "roofline.html").read_text()
    assert "<script>alert" not in page
    assert "\x1b" not in page


def test_same_run_same_bytes_whatever_the_hash_seed(tmp_path):
    path = synthetic.write(tmp_path / "run.json", mixed())
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        done = run("report.py", path, "-o", tmp_path / seed, env=environment)
        assert done.returncode == 0, done.stderr
    files = sorted((tmp_path / "1").iterdir())
    assert len(files) > 10
    for file in files:
        assert file.read_bytes() == (tmp_path / "2" / file.name).read_bytes(), file.name
        assert str(tmp_path).encode() not in file.read_bytes(), file.name


def test_an_incomplete_run_is_reported_labelled_and_ends_with_3(tmp_path, report):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(5))
    text = path.read_text()
    path.write_text(text[: text.rindex('"plan"')])
    code, _, err = report(path, "-o", tmp_path / "out")
    assert (code, err) == (3, "")
    assert "**INCOMPLETE RUN: the file was cut" in (tmp_path / "out" / "summary.md").read_text()


def test_nothing_is_written_where_something_is_wrong(tmp_path, report):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(2))
    empty = synthetic.write(tmp_path / "skips.json", [synthetic.timeless("skipped", "no GPU")])
    out, file = tmp_path / "out", tmp_path / "file"
    file.write_text("old")
    cases = [
        (2, "cannot be read", (tmp_path / "none.json", "-o", out)),
        (2, "known: h100_sxm", (path, "--device", "h900", "-o", out)),
        (2, "not a folder", (path, "-o", file)),
        (2, "cannot be written", (path, "-o", file / "deeper")),
        (4, "nothing to plot: skipped: no GPU", (empty, "-o", out)),
    ]
    for code, part, arguments in cases:
        got, said, err = report(*arguments)
        assert (got, said) == (code, "")
        assert err.startswith("report.py: ")
        assert part in err
        assert err.count("\n") == 1
    assert not out.exists()
    assert file.read_text() == "old"


def test_a_foreign_file_says_what_is_not_known(tmp_path, report):
    path = write(tmp_path / "a.json", [row("BM_x/8", FLOPS=1e6, bytes=1e5)])
    options = ["--flops-counter", "FLOPS", "--bytes-counter", "bytes"]
    assert report(path, *options, "-o", tmp_path / "out")[0] == 0
    summary = (tmp_path / "out" / "summary.md").read_text()
    assert "does not say which machine" in summary
    assert "nothing is known of verification" in summary


def test_a_list_of_cases_claims_no_measurement(made):
    rows = [synthetic.listed(chain(), name) for name in ("onednn", "onednn_unfused")]
    summary = (made(rows) / "summary.md").read_text()
    assert "nothing was measured, and nothing verified" in summary
    assert "Every row was verified" not in summary
    assert "No row stands beside a vendor's row" in summary
    assert re.search(r"\| onednn\\?_unfused \| onednn \| \d\.\d\d \|  \|", summary)


def test_its_help_has_examples():
    done = run("report.py", "--help")
    assert done.returncode == 0
    assert "scripts/report.py results/cpu/run.json -o report" in done.stdout
    assert run("report.py").returncode == 2
