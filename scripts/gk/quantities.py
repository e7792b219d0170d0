# SPDX-License-Identifier: Apache-2.0
"""Quantities with their units: axis text, tick labels and tables use the same object."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


@dataclass(frozen=True, slots=True)
class Quantity:
    """A physical quantity in SI units."""

    name: str
    unit: str

    def text(self, value: float, digits: int = 3) -> str:
        """`989 TFLOP/s`: `value` in the unit, with the prefix that fits it."""
        scale = self.scale([value])
        return f"{scale.text(value, digits)} {scale.unit}"

    def scale(self, values: Iterable[float]) -> "Scale":
        """One prefix for all `values`, so that a column or an axis reads without exponents."""
        largest = max(values, default=1.0)
        factor, prefix = next((p for p in _PREFIXES if largest >= p[0]), _PREFIXES[-1])
        return Scale(self.name, f"{prefix}{self.unit}", factor)


@dataclass(frozen=True, slots=True)
class Scale:
    """A quantity with its prefix chosen; `factor` is what one `unit` is in SI."""

    name: str
    unit: str
    factor: float

    @property
    def label(self) -> str:
        """Axis text."""
        return f"{self.name} ({self.unit})"

    def text(self, value: float, digits: int = 3) -> str:
        """`value` (SI) in this unit, with `digits` significant ones, never an exponent."""
        return plain(value / self.factor, digits)

    def cell(self, value: float) -> str:
        """`value` (SI) in this unit for a table: zeros at the end are kept."""
        return significant(value / self.factor, 3)


INTENSITY = Quantity("arithmetic intensity", "FLOP/byte")
PERFORMANCE = Quantity("performance", "FLOP/s")
BANDWIDTH = Quantity("bandwidth", "B/s")


def significant(value: float, digits: int) -> str:
    """A number with `digits` significant ones and no exponent: 0.00123, 1.20, 123, 12346."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")  # 0.9996 is 1.00, not 1.000
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{value:.{decimals}f}"


def plain(value: float, digits: int = 3) -> str:
    """The same without zeros at the end: 1.2."""
    text = significant(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def power_of_two(exponent: int) -> str:
    """A doubling tick: 1/4, 1/2, 1, 2."""
    return str(2**exponent) if exponent >= 0 else f"1/{2**-exponent}"
