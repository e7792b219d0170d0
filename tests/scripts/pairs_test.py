# SPDX-License-Identifier: Apache-2.0
"""Pairs: who is joined with whom, what is predicted from bytes and launches, what was measured."""

import pytest
from matplotlib.patches import FancyArrowPatch

import synthetic
from chains import block, chain
from drawing import H100, drawn, picture_of, sorted_rows, texts_of
from gk.layout import overlapping_texts
from gk.pairs import FUSION, VENDOR


def pairs(tmp_path, rows, **context):
    path = synthetic.write(tmp_path / "run.json", rows, **context)
    picture = picture_of(path, pairs=True)
    names = [point.case.implementation for point in picture.points]
    return {(p.kind, names[p.start], names[p.end]): p for p in picture.pairs}


def test_unfused_points_to_fused_and_vendor_to_own(tmp_path):
    found = pairs(tmp_path, block(chain()))
    assert set(found) == {(FUSION, "onednn_unfused", "onednn"), (VENDOR, "onednn", "cpu_fused")}


def test_a_cuda_chain_belongs_to_the_fused_kernel(tmp_path):
    shares = {"cuda_unfused": 30, "cuda_fused": 90, "cudnn_unfused": 40, "cudnn": 60}
    rows = [synthetic.measured(chain(), name, percent=share) for name, share in shares.items()]
    found = pairs(tmp_path, rows)
    assert (FUSION, "cuda_unfused", "cuda_fused") in found
    assert (FUSION, "cudnn_unfused", "cudnn") in found


def test_other_problems_and_other_cache_states_are_never_joined(tmp_path):
    rows = block(chain(64), {"onednn": 60}) + block(chain(65), {"onednn_unfused": 30})
    rows += block(chain(64), {"cpu_fused": 90}, cache="warm")
    assert pairs(tmp_path, rows) == {}


def test_a_gain_is_measured_by_paired_samples_or_else_by_medians(tmp_path):
    found = pairs(tmp_path, block(chain()))
    vendor = found[VENDOR, "onednn", "cpu_fused"].measured
    assert (vendor.factor, vendor.low, vendor.high) == (1.5, 1.4, 1.6)
    fusion = found[FUSION, "onednn_unfused", "onednn"].measured
    assert fusion.factor == pytest.approx(2.0)  # the chain is 0.5 times the best vendor row
    assert (fusion.low, fusion.high) == (1 / 0.6, 1 / 0.4)
    rows = [row | {"best_vendor": "cudnn"} for row in block(chain())]
    found = pairs(tmp_path, rows)
    fusion = found[FUSION, "onednn_unfused", "onednn"].measured
    assert fusion.factor == pytest.approx(2.0)
    assert fusion.low is None


@pytest.mark.parametrize("wrong", [0, -1, None])
def test_a_ratio_that_cannot_be_is_no_gain(tmp_path, wrong):
    rows = [row | {"speedup_vs_best_vendor": wrong} for row in block(chain())]
    vendor = pairs(tmp_path, rows)[VENDOR, "onednn", "cpu_fused"].measured
    assert vendor.factor == pytest.approx(1.5)  # of the medians
    assert vendor.low is None


def test_the_prediction_counts_the_intermediates_that_fusion_saves(tmp_path):
    caches = [{"type": "Unified", "level": 3, "size": 1 << 20, "num_sharing": 1}]
    rows = block(chain(4096, 4096))  # 33 MB: in memory, not in a cache
    found = pairs(tmp_path, rows, caches=caches)[FUSION, "onednn_unfused", "onednn"]
    # 3 matrices at 17 GB/s (the rows' own ceiling), and 4 more at the copy's 0.8 of that.
    assert found.predicted == pytest.approx(1 + (4 / 0.8) / 3)
    assert "through DRAM" in found.why
    assert found.why.endswith("2 launches saved at an unknown cost")


def test_intermediates_that_a_cache_holds_cost_less(tmp_path):
    caches = [{"type": "Unified", "level": 2, "size": 1 << 20, "num_sharing": 1}]
    rows = block(chain(64, 1024))  # 131 kB
    found = pairs(tmp_path, rows, caches=caches)[FUSION, "onednn_unfused", "onednn"]
    assert "through L2" in found.why
    assert 1 < found.predicted < 1.2


def test_a_projection_predicts_on_the_other_machine_and_measured_nothing_there(tmp_path):
    path = synthetic.write(tmp_path / "run.json", block(chain()))
    (pair,) = picture_of(path, H100, pairs=True).pairs
    assert (pair.kind, pair.measured) == (FUSION, None)
    assert pair.predicted == pytest.approx((3 + 4) / 3, rel=1e-3)  # all through its DRAM
    assert "through DRAM" in pair.why


def test_launches_saved_cost_what_the_run_measured(tmp_path):
    slow = synthetic.machine(empty_launch_cold_ns=1e6)
    rows = block(chain(64, 1024))
    found = pairs(tmp_path, rows, machine=slow)[FUSION, "onednn_unfused", "onednn"]
    seconds = 3 * 2 * 64 * 1024 / synthetic.STREAMS["dram"]
    assert found.predicted > 2e-3 / seconds


def test_vendor_to_own_with_the_same_bytes_predicts_nothing(tmp_path):
    found = pairs(tmp_path, block(chain()))[VENDOR, "onednn", "cpu_fused"]
    assert found.predicted == 1
    assert "better use of the roof" in found.why


def test_an_unknown_chain_is_said_and_not_guessed(tmp_path):
    found = pairs(tmp_path, block(synthetic.softmax(64, 1024)))
    fusion = found[FUSION, "onednn_unfused", "onednn"]
    assert fusion.predicted is None
    assert "not known" in fusion.why


def test_arrows_and_gains_stand_in_the_picture_and_overlap_nothing(tmp_path):
    path = synthetic.write(tmp_path / "run.json", block(chain()))
    figure = drawn(path, pairs=True)
    assert len(figure.findobj(FancyArrowPatch)) == 2
    texts = texts_of(figure)
    assert "own \u00d71.50 (predicted 1.00)" in texts
    assert "1.50 (1.40 to 1.60)" in texts
    assert overlapping_texts(figure) == []


def test_many_arrows_leave_their_gains_to_the_table(tmp_path):
    rows = [row for n in range(1, 7) for row in block(synthetic.gemm(4096, 4096, 4**n))]
    figure = drawn(synthetic.write(tmp_path / "run.json", rows), pairs=True)
    assert not any("(predicted" in text for text in texts_of(figure))
    assert texts_of(figure).count("1.50 (1.40 to 1.60)") == 6
    assert overlapping_texts(figure) == []


def test_arrows_that_lie_on_each_other_share_one_label(tmp_path):
    rows = [row for n in range(1, 7) for row in block(chain(4**n, 1024))]
    texts = texts_of(drawn(synthetic.write(tmp_path / "run.json", rows), pairs=True))
    assert len([text for text in texts if "(predicted" in text]) == 2
    assert texts.count("1.50 (1.40 to 1.60)") == 6


def test_without_the_option_there_is_no_arrow(tmp_path):
    path = synthetic.write(tmp_path / "run.json", block(chain()))
    assert drawn(path).findobj(FancyArrowPatch) == []
    assert sorted_rows(path)[2].rows_plotted == 3


def test_the_command_says_what_each_prediction_rests_on(tmp_path, main):
    path = synthetic.write(tmp_path / "run.json", block(chain()))
    code, out, _ = main(path, "--pairs", "-o", tmp_path / "o.svg")
    assert code == 0
    assert "pairs 2:" in out
    assert "-> cpu_fused: predicted 1.00 (same bytes and launches" in out
    assert "measured 1.50 (1.40 to 1.60)" in out
