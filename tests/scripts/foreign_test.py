# SPDX-License-Identifier: Apache-2.0
"""Any Google Benchmark file with FLOPs and bytes: read by its counters, and nothing guessed."""

from pathlib import Path

import pytest

import synthetic
from drawing import H100, sorted_rows, texts_of
from gk import figures, results, roofline, roofs
from gk.errors import GkError
from gk.foreign import Reading, adopt, parse_counter
from gk.points import Selection
from gk.roofline import Picture
from gk.series import MOST
from gk.sorting import sort_rows
from google_benchmark import row, write

FIXTURES = Path(__file__).parent / "fixtures"


def adopted(path, flops=None, moved=None, **more):
    reading = Reading(flops and parse_counter(flops), moved and parse_counter(moved), **more)
    return adopt(results.read(path), reading).rows


def test_counters_per_call_are_taken_as_they_are(tmp_path):
    path = write(tmp_path / "a.json", [row("BM_x/8", FLOPS=2e3, bytes=1e3)])
    (found,) = adopted(path, "FLOPS", "bytes")
    assert (found.work.flops, found.work.read_bytes, found.work.intensity) == (2e3, 1e3, 2)


def test_rates_are_over_cpu_time_unless_the_name_says_wall_time(tmp_path):
    rows = [row("BM_x", rate=1e9, bytes_per_second=1e9)]
    rows += [row("BM_y/real_time", rate=1e9, bytes_per_second=1e9)]
    cpu, wall = adopted(write(tmp_path / "a.json", rows), "rate=rate", "bytes_per_second")
    assert cpu.work.flops == pytest.approx(1e9 * 500e-9)
    assert wall.work.flops == pytest.approx(1e9 * 1000e-9)
    assert wall.work.read_bytes == pytest.approx(1000)


def test_names_that_end_like_rates_are_rates_and_an_option_overrules():
    assert parse_counter("bytes_per_second").is_rate
    assert parse_counter("FLOP/s").is_rate
    assert not parse_counter("FLOPS").is_rate
    assert not parse_counter("bytes_per_second=call").is_rate
    assert parse_counter("a=b=rate").name == "a=b"


@pytest.mark.parametrize("text", ["", "=rate", "FLOPS=sum", "x="])
def test_a_counter_that_is_none_is_bad_input(text):
    with pytest.raises(GkError, match="a counter is NAME"):
        parse_counter(text)


def test_our_own_field_names_need_no_option(tmp_path):
    rows = [row("BM_x", flops=64, read_bytes=24, written_bytes=8.0)]
    (found,) = adopted(write(tmp_path / "a.json", rows))
    assert found.work.intensity == 2


def test_a_file_of_aggregates_is_plotted_by_its_medians(tmp_path):
    rows = [
        row(f"BM_x_{name}", run_name="BM_x", run_type="aggregate", aggregate_name=name)
        | {"flops": 64.0, "read_bytes": 8.0, "written_bytes": 8.0}
        for name in ("mean", "median", "stddev")
    ]
    kinds = [found.kind for found in adopted(write(tmp_path / "a.json", rows))]
    assert kinds == ["aggregate", "measured", "aggregate"]
    rows.append(row("BM_x", flops=64.0, read_bytes=8.0, written_bytes=8.0))
    kinds = [found.kind for found in adopted(write(tmp_path / "a.json", rows))]
    assert kinds == ["aggregate", "aggregate", "aggregate", "measured"]


def test_what_cannot_be_plotted_is_listed_with_the_reason(tmp_path, main):
    rows = [row("BM_good/8", FLOPS=1e6, bytes=1e5), row("BM_no_flops", bytes=1.0)]
    rows += [row("BM_no_bytes", FLOPS=1.0), row("BM_zero", FLOPS=0.0, bytes=1.0)]
    rows += [row("BM_error", error_occurred=True, error_message="no GPU")]
    path = write(tmp_path / "a.json", rows)
    options = ["--flops-counter", "FLOPS", "--bytes-counter", "bytes"]
    code, out, _ = main(path, *options, "-o", tmp_path / "o.png")
    assert code == 0
    assert "rows read 5 = plotted 1 (as 1 points) + listed 4" in out
    assert "BM_no_flops: no FLOPs: no positive counter 'FLOPS'" in out
    assert "BM_no_bytes: no bytes: no counter 'bytes'" in out
    assert "BM_zero: no FLOPs" in out
    assert "BM_error: error: no GPU" in out


@pytest.mark.parametrize("name", ["google_benchmark_1.7.1", "google_benchmark_1.9.5"])
def test_files_of_the_library_itself_are_accounted_for(name, main, tmp_path):
    path = FIXTURES / f"{name}.json"
    total = len(results.read(path).rows)
    code, out, err = main(path, "-o", tmp_path / "o.png")
    assert code == 4
    assert "nothing to plot" in err
    assert f"rows read {total} = plotted 0 (as 0 points) + listed {total}" in out


def foreign_picture(tmp_path, device=None, **reading):
    path = write(tmp_path / "a.json", [row("BM_x/8", FLOPS=1e6, bytes=1e5)])
    rows = adopted(path, "FLOPS", "bytes", **reading)
    source = roofs.datasheet_roofs(device) if device else roofs.Roofs("measured", True, (), ())
    found = sort_rows(rows, source, Selection(), project=False)
    return Picture("A title", "", found.points, (source,), hollow=False)


def figure_of(picture):
    with figures.style():
        return roofline.draw(picture)


def test_an_unknown_dtype_is_said_and_drawn_hollow_under_every_roof(tmp_path):
    picture = foreign_picture(tmp_path, H100)
    (point,) = picture.points
    assert (point.attainable, point.percent) == (None, None)
    assert "dtype unknown" in point.note
    assert point.height == pytest.approx(1e6 / 1000e-9)
    plot = roofline.plan(picture)
    assert plot.series.of_point[0].hollow
    labels = {line.label for line in plot.lines}
    assert {"bf16 matrix 989.4 TFLOP/s", "tf32 matrix 494.7 TFLOP/s"} <= labels
    assert {"fp8 matrix 1.979 PFLOP/s", "f32 vector 66.9 TFLOP/s"} <= labels
    assert not any(line.used for line in plot.lines if not line.is_memory)
    assert "Hollow: what could be attained there is not known." in texts_of(figure_of(picture))


def test_a_dtype_that_the_user_names_gives_the_point_its_roof(tmp_path):
    (point,) = foreign_picture(tmp_path, H100, dtype="f32", unit="vector").points
    assert point.attainable == pytest.approx(min(66.9e12, 10 * 3.35e12))
    assert point.percent == pytest.approx(100 * 1e12 / point.attainable)
    (point,) = foreign_picture(tmp_path, H100, dtype="int9", unit="matrix").points
    assert point.note == "no roof for int9 on the matrix unit"


def test_a_file_without_machine_is_drawn_without_roofs_and_says_so(tmp_path):
    picture = foreign_picture(tmp_path)
    assert roofline.plan(picture).series.of_point[0].hollow
    assert "No roof is known here." in " ".join(texts_of(figure_of(picture)))


def test_a_device_for_a_foreign_file_is_no_claim_that_it_was_measured_there(tmp_path, main):
    path = write(tmp_path / "a.json", [row("BM_x", FLOPS=1e6, bytes=1e5)])
    options = ["--flops-counter", "FLOPS", "--bytes-counter", "bytes", "--device", "h100_sxm"]
    out = tmp_path / "o.html"
    assert main(path, *options, "--counter-dtype", "bf16/matrix", "-o", out)[0] == 0
    text = out.read_text()
    assert "Measured elsewhere, under the datasheet roof of NVIDIA H100 SXM5" in text
    assert "FLOPs: counter &#x27;FLOPS&#x27; as a count per call" in text
    assert "dtype bf16 on the matrix unit, as the command line says" in text


def test_a_bad_dtype_is_one_sentence(tmp_path, failing):
    path = write(tmp_path / "a.json", [row("BM_x", FLOPS=1e6, bytes=1e5)])
    assert "not as bf16/matrix" in failing(2, path, "--counter-dtype", "bf16")
    assert "a counter is NAME" in failing(2, path, "--flops-counter", "x=sum")


def test_hundreds_of_functions_share_a_page(tmp_path):
    rows = [row(f"BM_{'x' * 90}{n}/8", FLOPS=1e6 + n * 1e5, bytes=1e5) for n in range(50)]
    file = results.read(write(tmp_path / "a.json", rows))
    file = adopt(file, Reading(parse_counter("FLOPS"), parse_counter("bytes")))
    source = roofs.datasheet_roofs(H100)
    found = sort_rows(file.rows, source, Selection(), project=False)
    figure = figure_of(Picture("A title", "", found.points, (source,), hollow=False))
    texts = texts_of(figure)
    assert "others" in texts
    in_key = [text for text in texts if text.startswith("BM_x")]
    assert len(in_key) == MOST
    assert all(text.endswith("...") for text in in_key)
    assert texts.count("BM_") == 50  # names in the table, cut after their underscore


def test_our_own_files_are_left_alone(tmp_path):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(3))
    file = results.read(path)
    assert adopt(file, Reading()) is file
    assert sorted_rows(path)[2].rows_plotted == 3
