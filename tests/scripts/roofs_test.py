# SPDX-License-Identifier: Apache-2.0
"""Roofs and points: each point under the roof of its dtype, unit and level, within the frame."""

from itertools import pairwise

import pytest

import synthetic
from drawing import H100, drawn, picture_of, texts_of
from gk import roofs
from gk.frame import limits
from gk.quantities import power_of_two
from gk.roof_lines import ridges, roof_lines


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
    texts = texts_of(figure)
    assert "ridge 295 FLOP/byte" in texts
    assert "bf16 matrix 989.4 TFLOP/s" in texts
    assert [power_of_two(e) for e in (-2, -1, 0, 1)] == ["1/4", "1/2", "1", "2"]


def test_the_h100_figure_has_the_roofs_of_what_is_plotted_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr(synthetic, "BYTES", synthetic.BYTES | {"tf32": 4, "e4m3": 1})
    problems = [synthetic.gemm(4096, 4096, 512, dtype) for dtype in ("bf16", "tf32", "e4m3", "f32")]
    rows = [synthetic.listed(p | {"unit": "matrix"}) for p in problems]
    picture = picture_of(synthetic.write(tmp_path / "list.json", rows, ceilings=[]), H100)
    used = {line.label for line in roof_lines(picture.points, picture.sources) if line.used}
    assert used == {
        "DRAM 3.35 TB/s",
        "bf16 matrix 989.4 TFLOP/s",
        "tf32 matrix 494.7 TFLOP/s",
        "fp8 matrix 1.979 PFLOP/s",
        "f32 vector 66.9 TFLOP/s",
    }
    assert all(not line.measured for line in roof_lines(picture.points, picture.sources))
    only = picture_of(
        synthetic.write(tmp_path / "one.json", rows[1:2], ceilings=[]), H100
    )  # tf32 alone
    labels = [line.label for line in roof_lines(only.points, only.sources)]
    assert labels == ["DRAM 3.35 TB/s", "tf32 matrix 494.7 TFLOP/s"]


def test_measured_roofs_are_solid_and_datasheet_roofs_dashed(tmp_path):
    path = synthetic.write(tmp_path / "run.json", synthetic.many(3))
    assert {line.get_linestyle() for line in drawn(path).axes[0].lines} == {"-"}
    assert {line.get_linestyle() for line in drawn(path, H100).axes[0].lines} == {"--"}


def test_no_roof_but_the_machines_own_judges_an_unknown_machine(tmp_path):
    machine = synthetic.machine(device="cuda:0", name="NVIDIA H900 99GB")
    path = synthetic.write(tmp_path / "run.json", synthetic.many(3), machine=machine, ceilings=[])
    blank = {"ceiling_bytes_per_s": None, "ceiling_flop_per_s": None, "percent_of_ceiling": None}
    rows = [row | blank for row in synthetic.many(3)]
    path = synthetic.write(tmp_path / "run.json", rows, machine=machine, ceilings=[])
    points = picture_of(path).points
    assert [point.attainable for point in points] == [None] * 3
    assert not any(point.has_roof for point in points)


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
    assert source.peak("e4m3", "matrix").flop_per_s == 1978.9e12
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


def test_repetitions_share_the_point_of_their_median(tmp_path):
    problem = synthetic.gemv(64, 64, 1)
    rows = [
        synthetic.measured(problem, percent=percent, repetition_index=index)
        for index, percent in enumerate((50, 90, 60))
    ]
    (point,) = picture_of(synthetic.write(tmp_path / "run.json", rows)).points
    assert (point.rows, point.percent) == (3, 60)


def test_a_row_between_levels_is_plotted_without_percentage_and_says_why(tmp_path):
    between = {"ceiling_level": None, "ceiling_bytes_per_s": None, "percent_of_ceiling": None}
    row = synthetic.measured(synthetic.gemv(64, 64, 1), cache="warm", **between)
    path = synthetic.write(tmp_path / "run.json", [row | {"percent_reason": "between L2 and L3"}])
    (point,) = picture_of(path).points
    assert (point.percent, point.attainable) == (None, None)
    assert point.note == "no percentage: between L2 and L3"
    assert picture_of(path, H100).points == ()


def test_a_warm_row_is_not_projected_as_caches_are_known_only_where_measured(tmp_path, failing):
    rows = [synthetic.measured(synthetic.gemv(64, 64, 1), cache="warm")]
    path = synthetic.write(tmp_path / "run.json", rows)
    assert "warm: the roofs of caches" in failing(4, path, "--device", "h100_sxm")
    assert picture_of(path).points[0].stream.level == "l2"
