# SPDX-License-Identifier: Apache-2.0
"""The table of datasheet peaks agrees with itself and with the arithmetic of its chips."""

import json

import pytest

from gk import machines
from gk.errors import ExitCode, GkError

# FLOP per clock and SM; the vendor's peak is this times SMs times the boost clock.
HOPPER = {
    ("bf16", "matrix"): 4096,
    ("f16", "matrix"): 4096,
    ("fp8", "matrix"): 8192,
    ("tf32", "matrix"): 2048,
    ("bf16", "vector"): 512,
    ("f16", "vector"): 512,
    ("f32", "vector"): 256,
}
AMPERE = {
    ("bf16", "matrix"): 2048,
    ("f16", "matrix"): 2048,
    ("tf32", "matrix"): 1024,
    ("bf16", "vector"): 256,
    ("f16", "vector"): 512,
    ("f32", "vector"): 128,
}
RATES = {"h100_sxm": HOPPER, "h100_pcie": HOPPER, "h200_sxm": HOPPER, "a100_sxm": AMPERE}


@pytest.mark.parametrize("name", machines.device_names())
def test_every_peak_is_sms_times_clock_times_rate(name):
    device = machines.find_device(name)
    assert {(peak.dtype, peak.unit) for peak in device.peaks} == set(RATES[name])
    for peak in device.peaks:
        clock = device.boost_clock_hz[peak.unit]
        expected = device.sm_count * clock * RATES[name][peak.dtype, peak.unit]
        assert peak.flop_per_s == pytest.approx(expected, rel=2e-3), peak


def test_the_h100_ridge_is_the_known_295_flop_per_byte():
    device = machines.find_device("h100_sxm")
    peak = next(p for p in device.peaks if (p.dtype, p.unit) == ("bf16", "matrix"))
    assert peak.flop_per_s / device.dram_bytes_per_s == pytest.approx(295, abs=0.5)


def test_every_entry_is_dense_and_names_its_source_and_the_driver_names_are_unique():
    table = json.loads(machines.DEVICES_JSON.read_text())
    assert table["about"]
    reported = [name for raw in table["devices"].values() for name in raw["reported_names"]]
    assert len(reported) == len(set(reported)) == len(table["devices"])
    for name in machines.device_names():
        device = machines.find_device(name)
        assert device.sparsity == "dense"
        assert "NVIDIA" in device.source


def test_an_unknown_device_is_bad_input_and_the_known_ones_are_told():
    with pytest.raises(GkError, match=r"no device 'h900'.*h100_sxm") as caught:
        machines.find_device("h900")
    assert caught.value.exit_code is ExitCode.BAD_INPUT
