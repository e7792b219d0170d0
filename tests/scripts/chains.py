# SPDX-License-Identifier: Apache-2.0
"""Blocks of rows in which implementations meet: a chain, its fused form, and an own kernel."""

import synthetic

SHARES = {"cpu_fused": 90, "onednn": 60, "onednn_unfused": 30}


def chain(rows=64, cols=1024):
    """The elementwise chain: reads x and r, writes y."""
    size = 2 * rows * cols
    work = (10.0 * rows * cols, 2 * size, size)
    axes = {"rows": rows, "cols": cols}
    return {"op": "elementwise_bias_gelu_residual", "dtype": "bf16", "axes": axes, "work": work} | {
        "unit": "vector"
    }


def block(problem, shares=SHARES, **changes):
    rows = []
    for name, share in shares.items():
        ratio = share / shares.get("onednn", 60)
        vendor = {"best_vendor": "onednn", "speedup_vs_best_vendor": ratio}
        vendor |= {"speedup_p10": round(ratio - 0.1, 9), "speedup_p90": round(ratio + 0.1, 9)}
        rows.append(synthetic.measured(problem, name, percent=share, **vendor, **changes))
    return rows
