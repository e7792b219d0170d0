// SPDX-License-Identifier: Apache-2.0
// bf16 and f16 once more, for tests: slow, by the definition of rounding to nearest even.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace gk::emulator {

struct HalfFormat {
  int digits, least_exponent;  // of normal numbers
};
constexpr HalfFormat kBf16{8, -126}, kF16{11, -14};

// Wide enough for exact sums of products: 113 digits.
__extension__ using Exact = __float128;

// The nearest number of the format, whose range is not looked at.
inline float nearest(Exact x, HalfFormat format) {
  const double magnitude = std::fabs(static_cast<double>(x));
  if (magnitude == 0) return 0;
  const int exponent = std::max(std::ilogb(magnitude), format.least_exponent);
  const Exact unit = std::ldexp(1.0, exponent - format.digits + 1);
  const Exact units = x / unit;
  auto whole = static_cast<std::int64_t>(units);
  const Exact rest = units > whole ? units - whole : whole - units;
  const bool up = rest > Exact(0.5) || (rest == Exact(0.5) && whole % 2 != 0);
  if (up) whole += x < 0 ? -1 : 1;
  return static_cast<float>(whole * static_cast<double>(unit));
}

// The bits of a number that the format has.
inline std::uint16_t bf16_bits(float x) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16);
}
inline std::uint16_t f16_bits(float x) {
  const int sign = std::signbit(x) ? 0x8000 : 0;
  const float magnitude = std::fabs(x);
  if (magnitude < 0x1p-14F) return static_cast<std::uint16_t>(sign | int(magnitude * 0x1p24F));
  const int exponent = std::ilogb(magnitude);
  const int fraction = static_cast<int>(std::ldexp(magnitude, 10 - exponent)) - 1024;
  return static_cast<std::uint16_t>(sign | (exponent + 15) << 10 | fraction);
}

}  // namespace gk::emulator
