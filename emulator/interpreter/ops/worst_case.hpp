// SPDX-License-Identifier: Apache-2.0
// Results that are as wrong as the PTX ISA allows, so that a tolerance that holds here holds on any
// chip. All branchless, for SIMD.
#pragma once

#include "emulator/interpreter/ops/floating.hpp"

namespace gk::emulator {

// Some bit of the operands' bits, in the place of a float's sign: which way the error goes.
inline std::uint32_t random_sign(std::uint32_t bits) {
  bits = (bits ^ (bits >> 16)) * 0x7FEB352D;
  bits = (bits ^ (bits >> 15)) * 0x846CA68B;
  return bits & 0x80000000;
}

// The float that is farthest from `exact` on the side of `sign` and yet within `bound`; where none
// is, the nearest on either side. Infinities, NaN and zeros with bound 0 stay what they are.
inline float worst(double exact, double bound, std::uint32_t sign) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  bound = std::fabs(exact) < kInfinity ? bound : 0;
  const double signed_bound = bound * from_bits(sign | 0x3F800000);
  const auto outer = static_cast<float>(bound > 0 ? exact + signed_bound : exact);
  const std::uint32_t bits = to_bits(outer);
  const float inner = from_bits(bits - 1 + (((bits ^ sign) >> 31) << 1));
  const double outer_error = std::fabs(outer - exact), inner_error = std::fabs(inner - exact);
  const double better = inner_error < outer_error ? inner : outer;
  const double within = outer_error > bound ? better : outer;
  return static_cast<float>(outer_error < kInfinity ? within : outer);
}

// The distance of floats of x's size, were they not limited in range.
inline double ulp_of(double x) { return from_bits(to_bits(x) & 0x7FF0000000000000) * 0x1p-23; }

// 2^x to a relative 1e-9; x beyond +-1000 counts as that.
inline double exp2_of(double x) {
  constexpr double kLn2 = 0.69314718055994530942;
  constexpr double kInteger = 0x1.8p52;  // adding it rounds to an integer, found in the last bits
  x = x < -1000 ? -1000 : x;
  x = x > 1000 ? 1000 : x;
  const double shifted = x + kInteger;
  const double t = (x - (shifted - kInteger)) * kLn2;
  // The Taylor series of e^t, |t| <= ln(2) / 2.
  double sum = std::fma(1.0 / 40320, t, 1.0 / 5040);
  sum = std::fma(sum, t, 1.0 / 720);
  sum = std::fma(sum, t, 1.0 / 120);
  sum = std::fma(sum, t, 1.0 / 24);
  sum = std::fma(sum, t, 1.0 / 6);
  sum = std::fma(sum, t, 1.0 / 2);
  sum = std::fma(sum, t, 1.0);
  sum = std::fma(sum, t, 1.0);
  return sum * from_bits((to_bits(shifted) + 1023) << 52);
}

}  // namespace gk::emulator
