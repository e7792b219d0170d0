# SPDX-License-Identifier: Apache-2.0
"""Roofs: what a piece of work could attain on a machine, measured or by its datasheet."""

from collections.abc import Iterable
from dataclasses import dataclass

from gk.machines import ComputeCeiling, Device, MemoryCeiling
from gk.results import Context, Work

_SHEET_NAMES = {"e4m3": "fp8", "e5m2": "fp8"}  # sheets do not tell the two formats apart


@dataclass(frozen=True, slots=True)
class Roofs:
    """One machine's ceilings from one source."""

    source: str  # "measured", or what the datasheet is
    measured: bool
    memory: tuple[MemoryCeiling, ...]
    compute: tuple[ComputeCeiling, ...]
    one_unit: bool = False  # a CPU: both units mean the best instruction for the dtype

    def bandwidth(self, level: str, work: Work) -> MemoryCeiling | None:
        """The stream at `level` whose read share is nearest to that of `work`."""
        moved = work.read_bytes + work.written_bytes
        share = work.read_bytes / moved if moved else 1.0
        streams = [c for c in self.memory if c.level == level]
        return min(streams, key=lambda c: abs(c.read_share - share), default=None)

    def peak(self, dtype: str, unit: str) -> ComputeCeiling | None:
        """The peak of `dtype` on `unit`; where the unit does not know it, on the vector pipes.

        A mixed dtype such as bf16xe4m3 computes in its first part.
        """
        peaks = {(c.dtype, c.unit): c for c in self.compute}
        first = dtype.split("x")[0]
        for name in (dtype, _SHEET_NAMES.get(dtype, dtype), first):
            both = [c for c in self.compute if c.dtype == name]
            if self.one_unit and both:
                return max(both, key=lambda c: c.flop_per_s)
            for candidate in (unit, "vector"):
                if (name, candidate) in peaks:
                    return peaks[name, candidate]
        return None

    def roof(self, work: Work, dtype: str, level: str) -> "Roof | None":
        """The roof over `work`; None where a ceiling is unknown or there is no intensity."""
        stream, peak = self.bandwidth(level, work), self.peak(dtype, work.unit)
        if stream is None or peak is None or not work.intensity:
            return None
        return Roof(stream, peak, work.intensity)


@dataclass(frozen=True, slots=True)
class Roof:
    """The two ceilings over one intensity (FLOP/byte)."""

    stream: MemoryCeiling
    peak: ComputeCeiling
    intensity: float

    @property
    def attainable(self) -> float:
        """FLOP/s."""
        return min(self.peak.flop_per_s, self.stream.bytes_per_s * self.intensity)

    @property
    def bound(self) -> str:
        """Which ceiling is the lower one: memory or compute."""
        return "compute" if self.attainable == self.peak.flop_per_s else "memory"


def measured_roofs(context: Context) -> Roofs:
    """The ceilings that a run measured; there may be none."""
    is_cpu = context.machine is not None and context.machine.device.startswith("cpu")
    return Roofs("measured", True, context.memory_ceilings, context.compute_ceilings, is_cpu)


def datasheet_roofs(device: Device) -> Roofs:
    """A datasheet knows DRAM only, and no difference between reads and writes."""
    source = f"{device.name}, {device.sparsity}, {device.clock_basis}; {device.source}"
    stream = MemoryCeiling("dram", 1, 0, device.dram_bytes_per_s)
    return Roofs(source, False, (stream,), device.peaks)


def ridge(peak: ComputeCeiling, stream: MemoryCeiling) -> float:
    """The intensity (FLOP/byte) from which on compute is the lower roof."""
    return peak.flop_per_s / stream.bytes_per_s


def fastest(ceilings: Iterable[MemoryCeiling]) -> MemoryCeiling | None:
    """The ceiling with the highest bandwidth."""
    return max(ceilings, key=lambda c: c.bytes_per_s, default=None)
