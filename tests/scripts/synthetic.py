# SPDX-License-Identifier: Apache-2.0
"""Makes result files as docs/results.md defines them, with a plausible small CPU."""

import json
import random

STREAMS = {"dram": 17e9, "l3": 29e9, "l2": 190e9}  # bytes/s, read only
PEAKS = {("bf16", "matrix"): 2e12, ("bf16", "vector"): 4e11, ("f32", "vector"): 1.5e11}  # FLOP/s
BYTES = {"bf16": 2, "f32": 4}
MIX_SPEED = {(1, 0): 1.0, (2, 1): 0.85, (1, 1): 0.8}  # of the read-only stream


def ceilings():
    streams = [
        {"kind": "bytes", "reads": r, "writes": w, "level": level, "dtype": None, "unit": None}
        | {"value": speed * share, "detail": "prefetch 4096", "bytes": 1 << 28}
        for level, speed in STREAMS.items()
        for (r, w), share in MIX_SPEED.items()
    ]
    peaks = [
        {"kind": "flops", "reads": None, "writes": None, "level": None, "dtype": d, "unit": u}
        | {"value": value, "detail": "16 chains", "bytes": None}
        for (d, u), value in PEAKS.items()
    ]
    return streams + peaks


def machine(**changes):
    return {
        "device": "cpu:0",
        "name": "Example CPU at 2.6 GHz",
        "uuid": None,
        "driver": None,
        "cores": 2,
        "llc_bytes": 33554432,
        "memory_bytes": 1 << 34,
        "isa": ["avx2", "avx512"],
        "governor": None,
        "affinity": "0-1",
        "huge_pages": "madvise",
        "timer_resolution_ns": 30,
        "libraries": {"onednn": "2.6.2"},
        "emulated": False,
    } | changes


def context(**changes):
    return {
        "date": "2026-01-31T13:00:00+01:00",
        "host_name": "",
        "executable": "gk_bench",
        "num_cpus": 2,
        "mhz_per_cpu": 2600,
        "cpu_scaling_enabled": False,
        "caches": [{"type": "Unified", "level": 3, "size": 33554432, "num_sharing": 2}],
        "load_avg": [0.1, 0.1, 0.1],
        "library_build_type": "release",
        "schema_version": 1,
        "start_utc": "2026-01-31T12:00:00Z",
        "commit": "0123456789abcdef0123456789abcdef01234567",
        "dirty": False,
        "command_line": ["gk_bench", "--benchmark_out=results/example.json"],
        "seed": 42,
        "distribution": "uniform[-1,1)",
        "preset": "release",
        "cache": "cold",
        "threads": 1,
        "model": None,
        "machine": machine(),
        "ceilings": ceilings(),
        "datasheet": None,
    } | changes


def gemv(n, k, batch, dtype="bf16"):
    """Operation, axes, FLOPs, bytes read, bytes written, unit."""
    size = BYTES[dtype]
    axes = {"n": n, "k": k, "batch": batch, "epilogue": "none"}
    work = (2.0 * n * k * batch, size * (n * k + k * batch), size * n * batch)
    unit = "matrix" if batch > 4 and dtype == "bf16" else "vector"
    return {"op": "gemv_decode", "dtype": dtype, "axes": axes, "work": work, "unit": unit}


def gemm(n, k, tokens, dtype="bf16"):
    size = BYTES[dtype]
    work = (2.0 * n * k * tokens, size * (n * k + k * tokens), size * n * tokens)
    axes = {"n": n, "k": k, "tokens": tokens, "epilogue": "none"}
    unit = "matrix" if dtype == "bf16" else "vector"
    return {"op": "gemm_prefill", "dtype": dtype, "axes": axes, "work": work, "unit": unit}


def softmax(rows, cols, dtype="bf16"):
    size = BYTES[dtype]
    work = (8.0 * rows * cols, size * (rows * cols + cols), size * rows * cols)
    axes = {"rows": rows, "cols": cols, "mask": "none"}
    return {"op": "softmax_scale_mask", "dtype": dtype, "axes": axes, "work": work} | {
        "unit": "vector"
    }


MEASURED_KEYS = (
    "flop_per_s bytes_per_s bound ceiling_bytes_per_s ceiling_level ceiling_flop_per_s "
    "percent_of_ceiling percent_reason percent_of_datasheet best_vendor speedup_vs_best_vendor "
    "speedup_p10 speedup_p90 plan plans_tried first_plan_time cold_factor bytes_between_uses sets "
    "samples_us calls_per_sample samples_dropped stop_reason relative_precision max_error "
    "tolerance_used suspect throttled evidence"
)


def listed(problem, implementation="cpu_fused", cache="cold", **changes):
    """A row without a measurement, as `gk_bench --gk_list=json` prints it."""
    flops, read, written = problem["work"]
    axes = "/".join(f"{key}:{value}" for key, value in problem["axes"].items())
    name = f"{problem['op']}/{implementation}/{problem['dtype']}/{axes}/{cache}"
    row = {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1}
    row |= {"repetition_index": 0, "threads": 1, "iterations": 0, "real_time": 0.0}
    row |= {"cpu_time": 0.0, "time_unit": "us", "status": "listed", "op": problem["op"]}
    row |= {"implementation": implementation, "dtype": problem["dtype"], "axes": problem["axes"]}
    row |= {"cache": cache, "roles": [], "device": "cpu:0", "flops": flops, "read_bytes": read}
    row |= {"written_bytes": written, "intensity_flop_per_byte": flops / (read + written)}
    row |= {"unit": problem["unit"]} | dict.fromkeys(MEASURED_KEYS.split())
    return row | changes


def timeless(status, message, problem=None, implementation="onednn", **changes):
    """A row with a status other than measured or listed."""
    errors = {"status": status, "error_occurred": True, "error_message": message}
    return listed(problem or gemv(512, 512, 1), implementation, **errors) | changes


def measured(problem, implementation="cpu_fused", percent=80.0, cache="cold", **changes):
    """A row at `percent` of its roof."""
    row = listed(problem, implementation, cache)
    level = "dram" if cache == "cold" else "l2"
    bandwidth, peak = STREAMS[level], PEAKS[problem["dtype"], problem["unit"]]
    attainable = min(peak, bandwidth * row["intensity_flop_per_byte"])
    seconds = row["flops"] / (attainable * percent / 100)
    samples = [seconds * 1e6 * (1 + 0.01 * (i % 3 - 1)) for i in range(9)]
    row |= {"status": "measured", "iterations": 640, "real_time": seconds * 1e6}
    row |= {"cpu_time": seconds * 1e6, "flop_per_s": row["flops"] / seconds}
    row |= {"bytes_per_s": (row["read_bytes"] + row["written_bytes"]) / seconds}
    row |= {"bound": "compute" if attainable == peak else "memory", "ceiling_level": level}
    row |= {"ceiling_bytes_per_s": bandwidth, "ceiling_flop_per_s": peak}
    row |= {"percent_of_ceiling": percent, "plan": "panels 64", "plans_tried": 3}
    row |= {"first_plan_time": seconds * 1e6, "samples_us": samples, "calls_per_sample": 8}
    row |= {"samples_dropped": 0, "stop_reason": "precision", "relative_precision": 0.004}
    row |= {"max_error": 3.1e-3, "tolerance_used": 0.41}
    return row | changes


def document(rows, **context_changes):
    """A complete run. For a list pass `ceilings=[]`."""
    head = {"context": context(**context_changes), "benchmarks": list(rows)}
    return head | {"end_utc": "2026-01-31T12:05:00Z", "complete": True}


def write(path, rows, **context_changes):
    """Write a complete run to `path` and return the path."""
    path.write_text(json.dumps(document(rows, **context_changes), indent=1), encoding="utf-8")
    return path


def problems():
    """Small and large problems of three ops, from far left to far right of the ridge."""
    shapes = [(4096, 4096), (14336, 4096), (4096, 14336), (6144, 4096)]
    decode = [gemv(n, k, batch) for batch in (1, 2, 4, 8, 16) for n, k in shapes]
    prefill = [gemm(n, k, tokens) for tokens in (128, 512) for n, k in shapes[:2]]
    return decode + prefill + [softmax(rows, 4096) for rows in (16, 256)]


def many(count, seed=7):
    """`count` measured rows of several implementations; many decode rows nearly coincide."""
    rng = random.Random(seed)
    pairs = [(p, i) for p in problems() for i in ("cpu_fused", "onednn", "onednn_unfused")]
    return [measured(p, i, percent=rng.uniform(45, 99)) for p, i in pairs[:count]]


def spread(count, seed=3):
    """`count` measured rows with names of their own, all over the plane; some lie above a roof."""
    rng, rows = random.Random(seed), []
    typical = {"cpu_fused": 80, "onednn": 65, "onednn_unfused": 40}  # percent
    while len(rows) < count:
        problem = _random_problem(rng)
        problem["axes"]["case"] = len(rows)
        for implementation, percent in typical.items():
            percent = 120 if rng.random() < 0.001 else min(101, max(5, rng.gauss(percent, 12)))
            rows.append(measured(problem, implementation, percent=percent))
    return rows[:count]


def _random_problem(rng):
    dtype, kind = rng.choice(["bf16", "f32"]), rng.random()
    if kind < 0.4:
        n, k = 64 * rng.randint(1, 400), 64 * rng.randint(1, 250)
        return gemv(n, k, rng.choice([1, 2, 4, 8, 16]), dtype)
    if kind < 0.8:
        n, k = 64 * rng.randint(1, 200), 64 * rng.randint(1, 200)
        return gemm(n, k, rng.choice([16, 64, 128, 512, 2048]), dtype)
    return softmax(rng.randint(1, 5000), rng.randint(128, 130000), dtype)
