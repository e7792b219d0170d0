# SPDX-License-Identifier: Apache-2.0
"""What a figure promises: nothing overlaps, nothing is too small, numbers keep their meaning."""

import math
import re
from types import SimpleNamespace

import pytest
from matplotlib.lines import Line2D
from matplotlib.text import Text

import synthetic
from drawing import H100, composed, drawn, picture_of, texts_of
from gk import figures, layout, roofline
from gk.layout import Box
from gk.names import parse_case
from gk.quantities import PERFORMANCE, plain, significant
from gk.series import series_of


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
    texts = texts_of(figure)
    assert not any("no room for" in text for text in texts)
    numbered = []
    for text in figure.texts:
        match = re.fullmatch(r"(\d+)(?:\u2013(\d+))?!?", text.get_text())
        if match and text.get_horizontalalignment() == "center":
            numbered += range(int(match[1]), int(match[2] or match[1]) + 1)
    assert sorted(numbered) == list(range(1, 51))
    assert all(str(number) in texts for number in range(1, 51))


@pytest.mark.parametrize("count", [20, 300])
def test_no_text_is_under_6_points_at_85_mm(tmp_path, count):
    rows = [row | {"best_vendor": "onednn"} for row in synthetic.spread(count)]
    figure = drawn(synthetic.write(tmp_path / "run.json", rows), pairs=True)
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


def test_long_words_break_at_underscores():
    width = figures.text_width("elementwise_bias_gelu_re")
    lines = figures.wrap("elementwise_bias_gelu_residual f32", width)
    assert lines == ["elementwise_bias_gelu_", "residual f32"]
    assert all(figures.text_width(line) <= width for line in figures.wrap("x" * 90, width))


def test_axis_text_and_table_share_one_unit(tmp_path):
    figure = drawn(synthetic.write(tmp_path / "run.json", synthetic.many(5)))
    assert figure.axes[0].get_ylabel() == "performance (GFLOP/s)"
    assert figure.axes[0].get_xlabel() == "arithmetic intensity (FLOP/byte)"
    assert texts_of(figure).count("GFLOP/s") == 2


def test_names_say_what_differs_and_the_rest_once():
    def names(*rows):
        with_points = [
            SimpleNamespace(case=parse_case(row["name"]), name=row["name"], has_roof=True)
            for row in rows
        ]
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


def test_a_run_without_ceilings_is_drawn_without_roofs(tmp_path):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(3), ceilings=[])
    figure = drawn(path)
    assert "No roof is known here." in texts_of(figure)
    assert len(figure.axes[0].lines) == 0
