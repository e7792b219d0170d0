# SPDX-License-Identifier: Apache-2.0
"""Twenty thousand rows: quick, small, accounted for and still legible."""

import re
import subprocess
import sys

import pytest

import synthetic
from drawing import SCRIPTS, drawn, picture_of, texts_of
from gk import figures, layout, marks, roofline

ROWS = 20_000
# As GNU time would, with the standard library alone: seconds of CPU, and kilobytes at the peak.
MEASURE = """
import os, resource, runpy, sys
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    used = resource.getrusage(resource.RUSAGE_SELF)
    print("measured", used.ru_maxrss, end.code)
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return synthetic.write(tmp_path_factory.mktemp("large") / "run.json", synthetic.spread(ROWS))


@pytest.mark.parametrize("kind", ["png", "html"])
def test_20_000_rows_take_under_1_gigabyte(large, tmp_path, kind):
    out = tmp_path / f"out.{kind}"
    command = [sys.executable, "-c", MEASURE, str(SCRIPTS / "roofline.py"), str(large)]
    done = subprocess.run([*command, "-o", str(out)], capture_output=True, text=True, check=True)
    kilobytes, code = done.stdout.rsplit("measured", 1)[1].split()
    assert code == "0"
    assert int(kilobytes) < 1_000_000
    assert f"rows read {ROWS} = plotted {ROWS} (as {ROWS} points) + listed 0" in done.stdout
    assert out.stat().st_size > 10_000


@pytest.mark.parametrize("count", [500, 2000])
def test_many_points_overlap_nothing_and_number_the_telling_ones(tmp_path, count):
    path = synthetic.write(tmp_path / "run.json", synthetic.spread(count))
    with figures.style():
        figure = roofline.draw(picture_of(path))
        assert layout.overlapping_texts(figure) == []
    texts = texts_of(figure)
    rows = [text for text in texts if re.fullmatch(r"\d+!?", text)]
    assert len(rows) >= marks.NUMBERED_OF_MANY
    assert any(text.startswith(f"Numbered: {marks.NUMBERED_OF_MANY} of {count}") for text in texts)


def test_the_numbered_points_are_suspects_and_both_ends_of_each_series(tmp_path):
    rows = [*synthetic.spread(300), synthetic.measured(synthetic.gemv(64, 64, 1), percent=150)]
    plot = roofline.plan(picture_of(synthetic.write(tmp_path / "run.json", rows)))
    points, owners = plot.picture.points, plot.series.owners
    chosen = [points[i] for i in plot.order]
    assert any(point.percent == 150 for point in chosen)
    for owner in set(owners):
        percents = [p.percent for p, o in zip(points, owners, strict=True) if o == owner]
        assert min(percents) in {point.percent for point in chosen}
        assert max(percents) in {point.percent for point in chosen}


def test_of_many_pairs_those_that_gain_or_lose_most_are_numbered(tmp_path):
    rows = [
        row | {"best_vendor": "onednn", "speedup_vs_best_vendor": 1 + n / 100}
        for n, row in enumerate(synthetic.spread(300))
    ]
    picture = picture_of(synthetic.write(tmp_path / "run.json", rows), pairs=True)
    plot = roofline.plan(picture)
    most = max(picture.pairs, key=lambda pair: pair.factor)
    assert {most.start, most.end} <= set(plot.order)
    texts = texts_of(drawn(tmp_path / "run.json", pairs=True))
    assert any("more pairs between points without a number" in text for text in texts)


def test_every_point_is_numbered_or_in_the_crowd(tmp_path):
    path = synthetic.write(tmp_path / "run.json", synthetic.spread(700))
    plot = roofline.plan(picture_of(path))
    assert sorted([*plot.order, *plot.crowd]) == list(range(700))
    assert plot.darkest > 1
    assert any(f"to {plot.darkest} (dark)" in text for text in texts_of(drawn(path)))


def test_a_crowd_that_still_fits_is_drawn_as_markers(tmp_path):
    path = synthetic.write(tmp_path / "run.json", synthetic.spread(200))
    plot = roofline.plan(picture_of(path))
    assert (len(plot.order), len(plot.crowd), plot.darkest) == (marks.NUMBERED_OF_MANY, 176, 0)
