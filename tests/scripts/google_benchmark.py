# SPDX-License-Identifier: Apache-2.0
"""Makes files as Google Benchmark writes them."""

import json


def row(name, **changes):
    plain = {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1}
    plain |= {"repetition_index": 0, "threads": 1, "iterations": 1000, "time_unit": "ns"}
    return plain | {"real_time": 1000.0, "cpu_time": 500.0} | changes


def write(path, rows):
    document = {"context": {"library_build_type": "release"}, "benchmarks": rows}
    path.write_text(json.dumps(document))
    return path
