# SPDX-License-Identifier: Apache-2.0
"""What the roofline promises: nothing vanishes, nothing overlaps, same input same bytes."""

import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from matplotlib.lines import Line2D
from matplotlib.text import Text

import synthetic
from gk import figures, layout, machines, results, roofline, roofline_command, roofs
from gk.frame import limits
from gk.layout import Box
from gk.names import parse_case
from gk.points import Selection, sort_rows
from gk.quantities import PERFORMANCE, plain, power_of_two, significant
from gk.roof_lines import ridges, roof_lines
from gk.roofline import Picture
from gk.sheet import series_of

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "roofline.py"
H100 = machines.find_device("h100_sxm")


def run(*arguments, **keywords):
    """The command in a process of its own."""
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **keywords)


def picture_of(path, device=None, title="A title"):
    file = results.read(path)
    source = roofs.datasheet_roofs(device) if device else roofs.measured_roofs(file.context)
    found = sort_rows(file.rows, source, Selection(), project=device is not None)
    return Picture(title, "a subtitle", found.points, (source,), hollow=device is not None)


def drawn(path, device=None):
    with figures.style():
        return roofline.draw(picture_of(path, device))


@pytest.fixture
def main(capsys):
    """The command in this process: exit code, stdout, stderr."""

    def call(*arguments):
        code = roofline_command.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.mark.parametrize("count", [1, 5, 50, 78])
@pytest.mark.parametrize("device", [None, H100], ids=["measured", "projected"])
def test_no_two_texts_overlap_and_all_lie_on_the_page(tmp_path, count, device):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(count))
    with figures.style():
        figure = roofline.draw(picture_of(path, device))
        assert layout.overlapping_texts(figure) == []
        width, height = figure.get_size_inches() * 72
        page = Box(width / 2, height / 2, width, height)
        ruler = layout.Ruler(figure)
        outside = [t for t in layout.visible_texts(figure) if not ruler.box(t).inside(page)]
        assert [text.get_text() for text in outside] == []


@pytest.mark.parametrize("count", [5, 50])
def test_a_list_of_coinciding_cases_has_no_overlaps(tmp_path, count):
    rows = [synthetic.listed(p) for p in synthetic.problems()][:count]
    path = synthetic.write(tmp_path / "list.json", rows, ceilings=[])
    with figures.style():
        assert layout.overlapping_texts(roofline.draw(picture_of(path, H100))) == []


@pytest.mark.parametrize("octaves", range(1, 40, 3))
def test_tick_labels_never_touch_however_wide_the_axis(tmp_path, octaves):
    near = synthetic.measured(synthetic.gemv(64, 64, 1))
    far = synthetic.measured(synthetic.gemv(64, 128, 1), flops=near["flops"] * 2.0**octaves)
    path = synthetic.write(tmp_path / "run.json", [near, far])
    with figures.style():
        assert layout.overlapping_texts(roofline.draw(picture_of(path))) == []


def test_the_overlap_measure_finds_what_overlaps():
    figure = figures.new_figure(100)
    figures.put_text(figure, 10, 10, "one text")
    figures.put_text(figure, 12, 12, "another", rotation=30)
    figures.put_text(figure, 10, 60, "apart")
    assert layout.overlapping_texts(figure) == [("one text", "another")]


def test_turned_boxes_overlap_by_their_area_not_by_their_bounds():
    first, second = Box(0, 0, 40, 4, 45), Box(12, -12, 40, 4, 45)
    assert not first.overlaps(second)
    assert first.overlaps(Box(12, 12, 40, 4, -45))


def test_every_number_stands_in_the_table_and_in_one_label_of_the_plot(tmp_path):
    figure = drawn(synthetic.write(tmp_path / "run.json", synthetic.many(50)))
    texts = [text.get_text() for text in figure.texts]
    assert not any("no room for" in text for text in texts)
    numbered = []
    for text in figure.texts:
        match = re.fullmatch(r"(\d+)(?:\u2013(\d+))?!?", text.get_text())
        if match and text.get_horizontalalignment() == "center":
            numbered += range(int(match[1]), int(match[2] or match[1]) + 1)
    assert sorted(numbered) == list(range(1, 51))
    assert all(str(number) in texts for number in range(1, 51))


def test_no_text_is_under_6_points_at_85_mm(tmp_path):
    figure = drawn(synthetic.write(tmp_path / "run.json", synthetic.many(20)))
    shrink = 85 / 25.4 / figure.get_size_inches()[0]
    sizes = [text.get_fontsize() * shrink for text in figure.findobj(Text) if text.get_text()]
    assert min(sizes) >= 6.0 - 1e-9


def test_markers_differ_without_colour_and_colours_without_shape():
    shapes, colours = figures.MARKERS, figures.COLOURS
    pairs = {(shapes[i % len(shapes)], colours[i % len(colours)]) for i in range(70)}
    assert len(set(shapes)) == len(shapes) >= 10
    assert len(pairs) == 70
    red, green, blue = ([int(c[i : i + 2], 16) for c in colours] for i in (1, 3, 5))
    luma = [0.3 * r + 0.59 * g + 0.11 * b for r, g, b in zip(red, green, blue, strict=True)]
    assert max(luma) < 200  # seen on white paper in grey


def test_the_limits_hold_every_roof_point_and_ridge(tmp_path):
    rows = [synthetic.measured(synthetic.gemv(8, 8, 1), percent=0.01), *synthetic.many(40)]
    rows += [synthetic.measured(synthetic.gemm(4096, 4096, 512), percent=140)]
    picture = picture_of(synthetic.write(tmp_path / "run.json", rows))
    lines = roof_lines(picture.points, picture.sources)
    area = limits(picture.points, lines)
    for point in picture.points:
        assert area.x0 < point.intensity < area.x1
        assert area.y0 < point.height < area.y1
    for line in lines:
        assert area.y0 < line.at(area.x0 if line.is_memory else 1) < area.y1
    assert all(area.x0 < ridge.intensity < area.x1 for ridge in ridges(lines))


def test_points_far_left_of_the_ridge_still_show_the_ridge(tmp_path):
    rows = [synthetic.listed(synthetic.gemv(64, 64, 1) | {"unit": "matrix"})]
    picture = picture_of(synthetic.write(tmp_path / "list.json", rows, ceilings=[]), H100)
    lines = roof_lines(picture.points, picture.sources)
    assert [round(ridge.intensity) for ridge in ridges(lines)] == [295]
    assert limits(picture.points, lines).x1 > 295


def test_the_x_axis_doubles_and_the_h100_ridge_is_labelled(tmp_path):
    rows = [synthetic.listed(synthetic.gemm(4096, 4096, 512))]
    figure = drawn(synthetic.write(tmp_path / "list.json", rows, ceilings=[]), H100)
    ticks = figure.axes[0].get_xticks()
    assert all(b / a == 2 for a, b in pairwise(ticks))
    texts = [text.get_text() for text in figure.texts]
    assert "ridge 295 FLOP/byte" in texts
    assert "bf16 matrix 989.4 TFLOP/s" in texts
    assert [power_of_two(e) for e in (-2, -1, 0, 1)] == ["1/4", "1/2", "1", "2"]


def test_a_point_belongs_to_the_roof_of_its_dtype_unit_and_mix(tmp_path):
    problems = [synthetic.gemv(64, 64, 4), synthetic.gemv(64, 64, 5), synthetic.softmax(256, 4096)]
    problems += [synthetic.gemv(64, 64, 1, "f32")]
    path = synthetic.write(tmp_path / "run.json", [synthetic.measured(p) for p in problems])
    points = picture_of(path).points
    peaks = [(point.peak.dtype, point.peak.unit) for point in points]
    # On a CPU both units mean the best instruction for the dtype.
    assert peaks == [("bf16", "matrix")] * 3 + [("f32", "vector")]
    mixes = [(point.stream.reads, point.stream.writes) for point in points]
    assert mixes == [(1, 0), (1, 0), (1, 1), (1, 0)]


def test_a_dtype_without_matrix_unit_meets_the_vector_peak():
    source = roofs.datasheet_roofs(H100)
    assert source.peak("f32", "matrix").flop_per_s == 66.9e12
    assert source.peak("bf16xe4m3", "matrix").flop_per_s == 989.4e12
    assert source.peak("int9", "matrix") is None


def test_a_projected_point_keeps_intensity_and_percent(tmp_path):
    problem = synthetic.gemv(4096, 4096, 1)
    path = synthetic.write(tmp_path / "run.json", [synthetic.measured(problem, percent=75)])
    (point,) = picture_of(path, H100).points
    (own,) = picture_of(path).points
    assert point.intensity == own.intensity
    assert point.percent == own.percent == 75
    assert point.attainable == pytest.approx(3.35e12 * point.intensity)
    assert point.achieved == point.height == pytest.approx(0.75 * point.attainable)


def composed(path, device=None):
    file = results.read(path)
    source = roofs.datasheet_roofs(device) if device else roofs.measured_roofs(file.context)
    found = sort_rows(file.rows, source, Selection(), project=device is not None)
    return roofline_command.compose([file], found, (source,), device)


def faces(picture):
    with figures.style():
        lines = roofline.draw(picture).findobj(Line2D)
    return {line.get_markerfacecolor() for line in lines if line.get_marker() in figures.MARKERS}


def test_projections_and_lists_are_hollow_and_say_so(tmp_path):
    run_file = synthetic.write(tmp_path / "run.json", synthetic.many(3))
    listing = synthetic.write(tmp_path / "list.json", [synthetic.listed(synthetic.gemv(8, 8, 1))])
    titles = {
        "Roofline of Example CPU at 2.6 GHz": composed(run_file),
        "Projection to NVIDIA H100 SXM5 80 GB": composed(run_file, H100),
        "What each case could attain on NVIDIA H100 SXM5 80 GB": composed(listing, H100),
        "What each case could attain on Example CPU at 2.6 GHz": composed(listing),
    }
    for title, picture in titles.items():
        assert picture.title == title
        assert (faces(picture) == {"white"}) == (not title.startswith("Roofline"))


def test_repetitions_share_the_point_of_their_median(tmp_path):
    rows = [synthetic.measured(synthetic.gemv(64, 64, 1), percent=p) for p in (50, 90, 60)]
    (point,) = picture_of(synthetic.write(tmp_path / "run.json", rows)).points
    assert (point.rows, point.percent) == (3, 60)


def many_kinds():
    rows = [*synthetic.many(4), *synthetic.many(1)]
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
    texts = [text.get_text() for text in drawn(path).texts]
    assert texts.count("1!") == 2  # in the plot and in the table
    assert "1! suspect: cache residency" in texts


def test_a_row_between_levels_is_plotted_without_percentage_and_says_why(tmp_path):
    between = {"ceiling_level": None, "ceiling_bytes_per_s": None, "percent_of_ceiling": None}
    row = synthetic.measured(synthetic.gemv(64, 64, 1), cache="warm", **between)
    path = synthetic.write(tmp_path / "run.json", [row | {"percent_reason": "between L2 and L3"}])
    (point,) = picture_of(path).points
    assert (point.percent, point.attainable) == (None, None)
    assert point.note == "no percentage: between L2 and L3"
    assert picture_of(path, H100).points == ()


def test_a_warm_row_is_not_projected_as_caches_are_known_only_where_measured(tmp_path, main):
    rows = [synthetic.measured(synthetic.gemv(64, 64, 1), cache="warm")]
    path = synthetic.write(tmp_path / "run.json", rows)
    assert "warm: the roofs of caches" in failing(main, 4, path, "--device", "h100_sxm")
    assert picture_of(path).points[0].stream.level == "l2"


def test_an_incomplete_run_is_drawn_and_labelled(tmp_path, main):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(5))
    text = path.read_text()
    path.write_text(text[: text.rindex('"plan"')])
    out = tmp_path / "out.svg"
    code, printed, _ = main(path, "-o", out)
    assert code == 0
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
        assert run(path, "-o", out, env=environment, cwd=folder).returncode == 0
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
    done = run("--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "--device h100_sxm" in done.stdout
    assert "exit codes" in done.stdout


def test_a_python_without_the_packages_gets_one_sentence_and_2(tmp_path):
    isolated = [sys.executable, "-S", str(SCRIPT), "--help"]  # -S: no site-packages
    done = subprocess.run(isolated, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert "needs the package 'matplotlib'" in done.stderr
    assert done.stderr.count("\n") == 1


def failing(main, code, *arguments):
    got, out, err = main(*arguments)
    assert got == code
    assert err.startswith("roofline.py: ")
    assert err.count("\n") == 1
    return out + err


def test_bad_input_is_2(tmp_path, main):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(2))
    assert "cannot be read" in failing(main, 2, tmp_path / "none.json")
    assert "known: h100_sxm" in failing(main, 2, path, "--device", "h900")
    assert ".png, .svg, .pdf" in failing(main, 2, path, "-o", tmp_path / "out.jpg")
    (tmp_path / "file").write_text("")
    assert "cannot be written" in failing(main, 2, path, "-o", tmp_path / "file" / "out.png")
    assert run().returncode == 2


def test_more_points_than_a_page_holds_are_bad_input(tmp_path, main, monkeypatch):
    monkeypatch.setattr(roofline_command, "MAX_POINTS", 3)
    path = synthetic.write(tmp_path / "run.json", synthetic.many(4))
    assert "4 points, more than 3" in failing(main, 2, path)


def test_a_picture_taller_than_a_png_can_be_is_bad_input(tmp_path, main):
    problems = [synthetic.gemv(n, 64, 1) for n in range(1, 400)]
    for problem in problems:
        problem["axes"] = {"n": problem["axes"]["n"], "word": f"{problem['axes']['n']}w" * 60}
    rows = [synthetic.measured(problem) for problem in problems]
    assert "too many points" in failing(main, 2, synthetic.write(tmp_path / "run.json", rows))


def test_long_words_break_at_underscores():
    width = figures.text_width("elementwise_bias_gelu_re")
    lines = figures.wrap("elementwise_bias_gelu_residual f32", width)
    assert lines == ["elementwise_bias_gelu_", "residual f32"]
    assert all(figures.text_width(line) <= width for line in figures.wrap("x" * 90, width))


def test_nothing_to_plot_is_4_and_still_accounts_for_the_rows(tmp_path, main):
    path = synthetic.write(tmp_path / "run.json", [synthetic.timeless("skipped", "no GPU")])
    assert "rows read 1 = plotted 0 (as 0 points) + listed 1" in failing(main, 4, path)
    foreign = Path(__file__).parent / "fixtures" / "google_benchmark_1.9.5.json"
    assert "not a row of gk_bench" in failing(main, 4, foreign)
    bare = synthetic.write(
        tmp_path / "bare.json", [synthetic.listed(synthetic.gemv(8, 8, 1))], ceilings=[]
    )
    assert "no roof for bf16" in failing(main, 4, bare)


def test_the_emulator_is_3_but_its_list_may_be_drawn(tmp_path, main):
    emulated = {"machine": synthetic.machine(emulated=True)}
    path = synthetic.write(tmp_path / "run.json", synthetic.many(2), **emulated)
    assert "emulator" in failing(main, 3, path)
    rows = [synthetic.listed(synthetic.gemv(8, 8, 1), "cuda_fused")]
    listing = synthetic.write(tmp_path / "list.json", rows, ceilings=[], **emulated)
    assert main(listing, "--device", "h100_sxm")[0] == 0


def test_files_of_two_machines_are_3(tmp_path, main):
    first = synthetic.write(tmp_path / "a.json", synthetic.many(2))
    other = synthetic.machine(name="Another CPU")
    second = synthetic.write(tmp_path / "b.json", synthetic.many(2), machine=other)
    assert "another machine" in failing(main, 3, first, second)
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


def test_a_run_without_ceilings_is_drawn_without_roofs(tmp_path):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(3), ceilings=[])
    figure = drawn(path)
    assert "No roof was measured." in [text.get_text() for text in figure.texts]
    assert len(figure.axes[0].lines) == 0


def test_axis_text_and_table_share_one_unit(tmp_path):
    figure = drawn(synthetic.write(tmp_path / "run.json", synthetic.many(5)))
    assert figure.axes[0].get_ylabel() == "performance (GFLOP/s)"
    assert figure.axes[0].get_xlabel() == "arithmetic intensity (FLOP/byte)"
    assert [text.get_text() for text in figure.texts].count("GFLOP/s") == 2


def test_names_say_what_differs_and_the_rest_once():
    def names(*rows):
        with_points = [SimpleNamespace(case=parse_case(row["name"])) for row in rows]
        series = series_of(with_points, hollow=False)
        return series.shared, series.names, list(series.key)

    first, second = synthetic.gemv(64, 64, 1), synthetic.gemv(64, 64, 2)
    rows = [synthetic.listed(first, "onednn"), synthetic.listed(second, "cpu_fused")]
    shared = "gemv_decode bf16 n:64 k:64 epilogue:none cold"
    assert names(*rows) == (shared, ["batch:1", "batch:2"], ["cpu_fused", "onednn"])
    same = synthetic.listed(first, "cpu_fused")
    assert names(rows[0], same)[1] == ["onednn", "cpu_fused"]
    soft = [synthetic.listed(synthetic.softmax(n, 64)) for n in (2, 3)]
    shared, rest, key = names(synthetic.listed(second), *soft)
    assert (shared, rest[1:]) == ("cpu_fused bf16 cold", ["rows:2", "rows:3"])
    assert key == ["gemv_decode", "softmax_scale_mask cols:64 mask:none"]


def test_numbers_keep_their_digits():
    assert [significant(v, 3) for v in (0.9996, 0.0123, 1540, 7.97)] == [
        "1.00",
        "0.0123",
        "1540",
        "7.97",
    ]
    assert [plain(v) for v in (17.0, 0, 13.64)] == ["17", "0", "13.6"]
    assert PERFORMANCE.text(989.4e12, 4) == "989.4 TFLOP/s"
    assert math.isclose(PERFORMANCE.scale([3e9, 2e12]).factor, 1e12)


def test_a_file_without_a_name_is_one_sentence(main):
    code, _, err = main(".")
    assert code == 2
    assert "names no file" in err
