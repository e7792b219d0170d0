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
ADA = {
    ("bf16", "matrix"): 1024,
    ("f16", "matrix"): 1024,
    ("fp8", "matrix"): 2048,
    ("tf32", "matrix"): 512,
    ("bf16", "vector"): 256,
    ("f16", "vector"): 256,
    ("f32", "vector"): 256,
}
BLACKWELL = {pair: rate * 2 if pair[1] == "matrix" else rate for pair, rate in HOPPER.items()}
# With f32 accumulation a GeForce's tensor cores run at half the rate.
GEFORCE = {pair: rate // 2 if pair[1] == "matrix" else rate for pair, rate in ADA.items()}
RATES = {
    **dict.fromkeys(("h100_sxm", "h100_pcie", "h100_nvl", "h200_sxm", "gh200"), HOPPER),
    **dict.fromkeys(("a100_sxm", "a100_sxm_40gb", "a100_pcie_80gb"), AMPERE),
    "l40s": ADA,
    "rtx_4090": GEFORCE,
    "b200": BLACKWELL,
}
ROUNDED = {"l40s": 1.3e-2}  # the sheet itself is that far from its clock


def test_the_devices_that_people_report_on_are_known():
    assert set(machines.device_names()) == set(RATES)
    assert len(RATES) >= 10


@pytest.mark.parametrize("name", machines.device_names())
def test_every_peak_is_sms_times_clock_times_rate(name):
    device = machines.find_device(name)
    assert {(peak.dtype, peak.unit) for peak in device.peaks} <= set(RATES[name])
    for peak in device.peaks:
        if clock := device.boost_clock_hz.get(peak.unit):
            expected = device.sm_count * clock * RATES[name][peak.dtype, peak.unit]
            assert peak.flop_per_s == pytest.approx(expected, rel=ROUNDED.get(name, 2e-3)), peak


@pytest.mark.parametrize("name", machines.device_names())
def test_one_plausible_clock_explains_all_peaks_of_a_unit(name):
    device = machines.find_device(name)
    for unit in machines.UNITS:
        clocks = [
            peak.flop_per_s / device.sm_count / RATES[name][peak.dtype, unit]
            for peak in device.peaks
            if peak.unit == unit
        ]
        assert max(clocks) <= 1.03 * min(clocks)
        assert 1.3e9 < min(clocks) < 2.6e9


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
        assert device.verified


@pytest.mark.parametrize(
    ("name", "bf16", "bandwidth"),
    [
        ("h100_sxm", 989.4e12, 3.35e12),
        ("h100_pcie", 756e12, 2.039e12),
        ("h200_sxm", 989.4e12, 4.8e12),
        ("a100_sxm", 312e12, 2.039e12),
        ("b200", 2250e12, 7.7e12),
        ("l40s", 362.05e12, 0.864e12),
        ("rtx_4090", 165.2e12, 1.008e12),
    ],
)
def test_figures_are_dense_as_the_sheets_print_them(name, bf16, bandwidth):
    device = machines.find_device(name)
    peaks = {(peak.dtype, peak.unit): peak.flop_per_s for peak in device.peaks}
    assert peaks["bf16", "matrix"] == bf16
    assert device.dram_bytes_per_s == bandwidth


def test_an_unknown_device_is_bad_input_and_the_known_ones_are_told():
    with pytest.raises(GkError, match=r"no device 'h900'.*h100_sxm") as caught:
        machines.find_device("h900")
    assert caught.value.exit_code is ExitCode.BAD_INPUT
