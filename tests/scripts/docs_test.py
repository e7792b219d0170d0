# SPDX-License-Identifier: Apache-2.0
"""docs/roofline.md: its links lead somewhere, and its numbers are those of the files it names."""

import re
from pathlib import Path

import pytest

from gk import results
from gk.pairs import pairs_of
from gk.points import Selection
from gk.roofs import measured_roofs
from gk.sorting import sort_rows

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "roofline.md"
TEXT = PAGE.read_text()
RUNS = sorted(set(re.findall(r"results/[a-z0-9-]+/[0-9TZ-]+_[0-9a-z-]+", TEXT)))


@pytest.fixture(scope="module")
def rows():
    """Name to row, of all runs that the page names."""
    files = [results.read(ROOT / f"{run}.json") for run in RUNS]
    return {(n, row.name.full): row for n, file in enumerate(files) for row in file.rows}


def lines_with(heading):
    """The cells of the first table after a heading."""
    section = TEXT[TEXT.index(f"## {heading}") :]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)[0].splitlines()[2:]
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table]


def decode(rows, implementation, batch):
    return rows[
        RUNS.index(next(run for run in RUNS if "T141252Z" in run)),
        f"gemv_decode/{implementation}/bf16/n:4096/k:4096/batch:{batch}/epilogue:none/cold",
    ]


def test_every_link_and_every_run_exists():
    targets = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert targets
    for target in targets:
        assert (PAGE.parent / target).resolve().is_file(), target
    assert RUNS
    assert all((ROOT / f"{run}.json").is_file() for run in RUNS)


def test_what_limits_a_kernel_quotes_the_run(rows):
    for name, time, rate, percent in lines_with("What limits a kernel"):
        row = decode(rows, name, 1)
        assert time == f"{row.times.real_s * 1e6:.0f} us"
        moved = row.work.read_bytes + row.work.written_bytes
        assert rate == f"{moved / row.times.real_s / 1e9:.1f} GB/s"
        assert percent == f"{row.score.percent_of_ceiling:.1f} %"


def test_why_decode_sits_left_quotes_the_run(rows):
    for name, one, eight, factor in lines_with("Why decode sits left"):
        first, last = (decode(rows, name, batch).times.real_s * 1e6 for batch in (1, 8))
        assert (one, eight) == (f"{first:.0f} us", f"{last:.0f} us")
        assert factor == f"{last / first:.2f} times the time"


def test_the_ridges_are_those_of_the_run_and_the_datasheet(rows):
    file = results.read(ROOT / f"{RUNS[0]}.json")
    peak = max(c.flop_per_s for c in file.context.compute_ceilings)
    stream = next(c.bytes_per_s for c in file.context.memory_ceilings if c.level == "dram")
    said = f"{peak / 1e9:.0f} GFLOP/s over {stream / 1e9:.1f} GB/s = {peak / stream:.0f} FLOP/byte"
    assert said in TEXT.replace("\n", " ")


def fusion_pairs():
    """(op and axes, cache, start, end) to pair, of the run that has chains."""
    found = {}
    for run in RUNS:
        file = results.read(ROOT / f"{run}.json")
        roofs = measured_roofs(file.context)
        points = sort_rows(file.rows, roofs, Selection(), project=False).points
        for pair in pairs_of(points, file.context, roofs):
            start, end = points[pair.start].case, points[pair.end].case
            axes = " ".join(f"{key}:{value}" for key, value in end.axes.items())
            found[f"{end.op} {axes}", end.cache, start.implementation, end.implementation] = pair
    return found


def test_what_fusion_moves_quotes_the_run():
    pairs = fusion_pairs()
    lines = lines_with("What fusion moves")
    assert len(lines) >= 4
    for problem, cache, predicted, measured in lines:
        pair = pairs[problem, cache, "onednn_unfused", "onednn"]
        assert predicted == f"{pair.predicted:.2f}", problem
        assert measured == str(pair.measured), problem


def test_cold_and_warm_quotes_the_run():
    names = {}
    for run in RUNS:
        for row in results.read(ROOT / f"{run}.json").rows:
            names[row.name.full] = row
    lines = lines_with("Cold and warm")
    for name, cold, warm in lines:
        op, implementation, axes = name.split(" ", 2)
        dtype = f"{op}/{implementation}/bf16/{axes.replace(' ', '/')}"
        times = [names[f"{dtype}/{cache}"].times.real_s * 1e6 for cache in ("cold", "warm")]
        assert [cold, warm] == [f"{time:.4g} us" for time in times]


def test_nothing_but_the_project_is_named():
    words = r"/work/|/home/|/root/|localhost|https?://(?!www\.apache)"
    assert not re.search(words, TEXT)
