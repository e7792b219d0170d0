# SPDX-License-Identifier: Apache-2.0
"""gk_bench as its users meet it: exit codes, sentences, and files that survive whatever happens.

The binaries are those of build/cpu, or of the folder named by GK_BUILD. gk_bench_faulty is the real
main with cases that throw, hang or compute nonsense.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gk import results

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("GK_BUILD", ROOT / "build" / "cpu"))
BENCH = BUILD / "gk_bench"
FAULTY = BUILD / "tests" / "gk_bench_faulty"
COMPARE = Path("/usr/share/benchmark/compare.py")
# Small enough for tests under sanitizers, large enough that nothing is too short to time.
TINY = [
    "--gk_shape=rows:4,cols:512",
    "--gk_dtype=f32",
    "--gk_cache=warm",
    "--benchmark_min_time=0.01",
]


def run(
    program: Path, *arguments: str, variables: dict[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=cwd,
        env={**os.environ, **(variables or {})},
        check=False,
    )


def strict(path: Path) -> dict:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} in {path}")

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def is_one_sentence(text: str) -> bool:
    return text.count("\n") == 1 and text.startswith("gk_bench: ") and "Traceback" not in text


def test_a_measured_run_exits_with_0_and_writes_a_complete_file(tmp_path: Path) -> None:
    out = tmp_path / "new" / "run.json"
    done = run(BENCH, *TINY, f"--benchmark_out={out}")
    assert done.returncode == 0, done.stderr
    document = strict(out)
    assert document["complete"] is True
    assert list(document)[-1] == "complete"
    assert {row["status"] for row in document["benchmarks"]} == {"measured"}
    assert not list(out.parent.glob("*.partial"))


def test_the_reader_understands_every_row_of_the_writer(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    run(BENCH, *TINY, f"--benchmark_out={out}")
    read = results.read(out)
    assert read.incomplete is None
    assert len(read.rows) == len(strict(out)["benchmarks"])


def test_every_measured_field_is_documented_and_every_documented_field_is_written(
    tmp_path: Path,
) -> None:
    out = tmp_path / "run.json"
    run(BENCH, *TINY, f"--benchmark_out={out}")
    page = (ROOT / "docs" / "results.md").read_text()
    document = strict(out)
    written = set(document["benchmarks"][0]) | set(document["context"]) | set(document)
    written |= set(document["context"]["machine"]) | set(document["context"]["ceilings"][0])
    written |= {"error_occurred", "error_message"}  # of rows without a time
    documented = {
        word.strip("` ")
        for line in page.splitlines()
        if line.startswith("| `")
        for word in line.split("|")[1].split(",")
    }
    assert written == documented


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["--gk_nonsense"], 2, "unknown flag"),
        (["--benchmark_filter=("], 2, "regular expression"),
        (["--benchmark_filter=nothing_has_this_name"], 4, "no benchmark matches"),
        (["--gk_model=/no/such/config.json"], 2, "neither a file nor a preset"),
        (["--gk_batch=0"], 2, "--gk_batch"),
        (["--gk_threads=1000"], 2, "cores"),
        (["--gk_device=cuda"], 4, "CUDA"),
        (["--gk_device=cuda:x"], 2, "--gk_device"),
        (["--benchmark_out=/proc/no/run.json"], 2, "cannot write"),
        (["--benchmark_out=/"], 2, "is a folder"),
        (["--gk_shape=depth:3"], 2, "no op has this shape"),
    ],
)
def test_bad_input_gets_one_sentence_and_its_exit_code(
    arguments: list[str], code: int, part: str
) -> None:
    done = run(BENCH, *arguments)
    assert done.returncode == code, done.stderr
    assert is_one_sentence(done.stderr), done.stderr
    assert part in done.stderr
    assert done.stdout == ""


def test_bad_input_leaves_an_old_result_file_alone(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    out.write_text("old")
    assert run(BENCH, f"--benchmark_out={out}", "--gk_batch=0").returncode == 2
    assert run(BENCH, f"--benchmark_out={out}", "--benchmark_filter=nothing").returncode == 4
    assert out.read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]


def test_a_shape_that_exceeds_memory_is_a_skip_that_says_how_much_it_needs(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    done = run(
        BENCH,
        "--gk_shape=n:100000000,k:1000000,batch:1",
        "--gk_dtype=bf16",
        f"--benchmark_out={out}",
    )
    assert done.returncode == 4, done.stderr
    assert "needs 200000" in done.stdout
    rows = strict(out)["benchmarks"]
    assert {row["status"] for row in rows} == {"skipped"}
    assert all(row["real_time"] == 0.0 and row["flop_per_s"] is None for row in rows)


def test_failing_cases_become_rows_and_the_others_go_on(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    done = run(
        FAULTY,
        "--benchmark_filter=-hanging",
        "--gk_cache=warm",
        "--benchmark_min_time=0.01",
        f"--benchmark_out={out}",
    )
    assert done.returncode == 1, done.stderr  # wrong before errored
    status = {row["implementation"]: row["status"] for row in strict(out)["benchmarks"]}
    assert status == {
        "cpu_right": "measured",
        "cpu_wrong": "wrong",
        "cpu_nan": "wrong",
        "cpu_second_run": "wrong",
        "cpu_throwing": "error",
        "cpu_unsupported": "skipped",
    }
    for word in ("WRONG", "ERROR", "skipped", "needs another machine", "failed to launch"):
        assert word in done.stdout


@pytest.mark.parametrize(("name", "code"), [("right", 0), ("throwing", 4), ("unsupported", 4)])
def test_exit_codes_of_single_cases(name: str, code: int) -> None:
    done = run(
        FAULTY, f"--benchmark_filter=cpu_{name}/", "--gk_cache=warm", "--benchmark_min_time=0.01"
    )
    assert done.returncode == code


def test_a_hanging_case_is_marked_and_the_file_closed(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    done = run(
        FAULTY,
        "--benchmark_filter=hanging|right",
        "--gk_cache=warm",
        "--benchmark_min_time=0.01",
        f"--benchmark_out={out}",
    )
    assert done.returncode == 4
    document = strict(out)
    assert document["complete"] is False
    assert "hung" in {row["status"] for row in document["benchmarks"]}
    assert "HUNG" in done.stdout


def test_a_killed_run_leaves_whole_rows_and_no_file_under_the_final_name(tmp_path: Path) -> None:
    moments = random.Random(20)
    salvaged = 0
    for attempt in range(10):
        out = tmp_path / f"run{attempt}.json"
        process = subprocess.Popen(
            # Without ceilings in this binary, rows come within milliseconds.
            [
                FAULTY,
                "--benchmark_filter=right",
                "--gk_cache=warm",
                "--benchmark_min_time=0.01",
                "--benchmark_repetitions=10000",
                f"--benchmark_out={out}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(moments.uniform(0.05, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not out.exists()
        partial = Path(f"{out}.partial")
        if not partial.exists() or b'"benchmarks": [\n' not in partial.read_bytes():
            continue  # killed before the first row
        salvaged += 1
        read = results.read(partial)
        assert read.incomplete
        lines = partial.read_text().split('"benchmarks": [\n', 1)[1].splitlines()
        whole = [line for line in lines if line.endswith(("},", "}"))]
        assert len(read.rows) >= len(whole) - 1
    assert salvaged > 0


def test_a_comma_locale_changes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    variables = {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
    assert run(BENCH, *TINY, f"--benchmark_out={out}", variables=variables).returncode == 0
    assert strict(out)["benchmarks"][0]["real_time"] > 0


def test_benchmark_variables_are_flags(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    done = run(BENCH, *TINY, variables={"BENCHMARK_OUT": str(out), "BENCHMARK_FILTER": "cpu_fused"})
    assert done.returncode == 0
    assert {row["implementation"] for row in strict(out)["benchmarks"]} == {"cpu_fused"}
    assert run(BENCH, *TINY, variables={"BENCHMARK_FILTER": "("}).returncode == 2


def test_json_on_the_standard_output_is_the_result_file() -> None:
    done = run(BENCH, *TINY, "--benchmark_format=json")
    document = json.loads(done.stdout)
    assert document["complete"] is True
    assert document["context"]["host_name"] == ""


def test_listings_show_our_names_without_suffixes() -> None:
    done = run(
        BENCH, "--benchmark_list_tests", "--benchmark_filter=gemv_decode/cpu_fused/.*batch:1/"
    )
    assert done.returncode == 0
    for line in done.stdout.splitlines():
        assert line.startswith("gemv_decode/cpu_fused/")
        assert line.endswith("/cold")


def test_a_list_has_the_rows_fields_and_no_measurement() -> None:
    done = run(BENCH, "--gk_list=json", "--benchmark_filter=gemv_decode.*bf16.*batch:1/")
    document = json.loads(done.stdout)
    assert document["context"]["ceilings"] == []
    for row in document["benchmarks"]:
        assert row["status"] == "listed"
        assert row["flops"] > 0
        assert row["flop_per_s"] is None
        assert "error_occurred" not in row


def test_a_profile_run_measures_nothing() -> None:
    done = run(BENCH, *TINY, "--gk_profile")
    assert done.returncode == 0, done.stderr
    assert "profiled" in done.stdout


def test_the_help_has_examples() -> None:
    done = run(BENCH, "--help")
    assert done.returncode == 0
    assert "Examples" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 120


def test_a_pipe_gets_no_colour_and_no_progress() -> None:
    done = run(BENCH, *TINY)
    assert "\033" not in done.stdout + done.stderr
    assert "\r" not in done.stdout + done.stderr


def test_no_private_words_are_written(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    run(BENCH, *TINY, f"--benchmark_out={out}")
    text = out.read_text()
    assert str(tmp_path) not in text
    assert str(ROOT) not in text
    assert os.uname().nodename not in json.dumps(strict(out)["context"])


def test_every_preset_of_a_model_lists(tmp_path: Path) -> None:
    for path in sorted((ROOT / "benches" / "models").glob("*.json")):
        done = run(
            BENCH, "--benchmark_list_tests", "--benchmark_filter=decode", f"--gk_model={path}"
        )
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.splitlines()) >= 50


@pytest.mark.skipif(not COMPARE.exists(), reason="Debian's libbenchmark-tools is not installed")
def test_compare_py_reads_nine_repetitions_with_its_u_test(tmp_path: Path) -> None:
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for out in files:
        done = run(BENCH, *TINY, "--benchmark_repetitions=9", f"--benchmark_out={out}")
        assert done.returncode == 0, done.stderr
    rows = strict(files[0])["benchmarks"]
    assert sorted(row["repetition_index"] for row in rows if row["implementation"] == "onednn") == [
        *range(9)
    ]
    done = subprocess.run(
        [sys.executable, COMPARE, "--no-color", "benchmarks", *files],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "pvalue" in done.stdout
    assert "U Test" in done.stdout


def test_the_librarys_own_output_is_never_opened(tmp_path: Path) -> None:
    """It reads BENCHMARK_OUT before main() begins, and would truncate the file at once."""
    out = tmp_path / "run.json"
    out.write_text("precious")
    process = subprocess.Popen(
        [FAULTY, "--benchmark_filter=hanging", "--gk_cache=warm", "--benchmark_min_time=10"],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "BENCHMARK_OUT": str(out)},
    )
    time.sleep(1)
    process.kill()
    process.wait()
    assert out.read_text() == "precious"


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "real.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to(target)
    assert run(BENCH, *TINY, f"--benchmark_out={link}").returncode == 0
    assert link.is_symlink()
    assert strict(target)["complete"] is True


def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    done = run(BENCH, *TINY, f"--benchmark_out={fifo}")
    assert done.returncode == 2
    assert is_one_sentence(done.stderr), done.stderr
    assert fifo.is_fifo()


def test_two_runs_cannot_write_one_file(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    first = subprocess.Popen(
        [FAULTY, "--benchmark_filter=hanging", "--gk_cache=warm", f"--benchmark_out={out}"],
        stdout=subprocess.DEVNULL,
    )
    time.sleep(1)
    second = run(BENCH, *TINY, f"--benchmark_out={out}")
    first.kill()
    first.wait()
    assert second.returncode == 2
    assert "another run is writing" in second.stderr


def test_a_closed_standard_output_does_not_end_up_in_the_file(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    command = " ".join([str(BENCH), *TINY, f"--benchmark_out={out}", ">&-"])
    subprocess.run(["sh", "-c", command], check=False, timeout=120)
    assert strict(out)["complete"] is True


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_standard_output_that_cannot_be_written_is_no_success() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [BENCH, "--gk_list=json"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert is_one_sentence(done.stderr), done.stderr


@pytest.mark.parametrize(
    "pattern", ["(" * 20000, "a" + "*" * 100000, "((a{1,255}){1,255}){9}", r"(a)\1"]
)
def test_a_filter_cannot_take_all_memory_or_time(pattern: str) -> None:
    done = run(BENCH, f"--benchmark_filter={pattern}")
    assert done.returncode == 2
    assert is_one_sentence(done.stderr), done.stderr


def test_a_deeply_nested_key_is_refused_in_one_sentence(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    depth = 400_000
    nested = "[" * depth + "]" * depth
    config.write_text(
        '{"model_type": "llama", "intermediate_size": 8, "hidden_size": ' + nested + "}"
    )
    done = run(BENCH, f"--gk_model={config}", "--gk_list=json")
    assert done.returncode == 2
    assert "'hidden_size' is array" in done.stderr


def test_a_bad_context_is_found_before_anything_is_opened(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    done = run(BENCH, *TINY, "--benchmark_context=seed=1", f"--benchmark_out={out}")
    assert done.returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_control_characters_do_not_reach_the_terminal() -> None:
    done = run(BENCH, "--gk_dtype=a\nb\033[31m")
    assert is_one_sentence(done.stderr), done.stderr
    assert "\033" not in done.stderr
