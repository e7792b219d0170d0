// SPDX-License-Identifier: Apache-2.0
// bf16 and f16, to and from f32 and f64, in plain arithmetic that the compiler turns into SIMD.
#pragma once

#include "emulator/interpreter/ops/floating.hpp"

namespace gk::emulator {

struct Bf16 {
  static float widen(std::uint32_t half) { return from_bits(half << 16); }
  // To nearest even, in the lower 16 bits.
  static std::uint32_t narrow(float x) {
    const std::uint32_t bits = to_bits(x);
    const std::uint32_t nearest = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    return x != x ? 0x7FFF : nearest;
  }
  static std::uint32_t truncate(float x) { return x != x ? 0x7FFF : to_bits(x) >> 16; }
};

struct F16 {
  static float widen(std::uint32_t half) {
    // The exponent is moved up by multiplication, which normalises subnormal numbers as well.
    const float scaled = from_bits((half & 0x7FFF) << 13) * 0x1p112F;
    const bool special = (half & 0x7C00) == 0x7C00;
    const std::uint32_t magnitude = special ? to_bits(scaled) | 0x7F800000 : to_bits(scaled);
    return from_bits(magnitude | ((half & 0x8000) << 16));
  }
  static std::uint32_t narrow(float x) {
    const std::uint32_t bits = to_bits(x), magnitude = bits & 0x7FFFFFFF;
    // Adding 0.5 puts the units of a subnormal f16 into the last bits of the sum, rounded.
    const std::uint32_t small = to_bits(from_bits(magnitude) + 0.5F) - 0x3F000000;
    const std::uint32_t normal = (magnitude - (112U << 23) + 0xFFF + ((magnitude >> 13) & 1)) >> 13;
    std::uint32_t half = magnitude < 0x38800000 ? small : normal;
    half = magnitude >= 0x477FF000 ? 0x7C00 : half;
    return x != x ? 0x7FFF : half | ((bits >> 16) & 0x8000);
  }
  static std::uint32_t truncate(float x) {
    const std::uint32_t bits = to_bits(x), magnitude = bits & 0x7FFFFFFF;
    // A subnormal f16 counts units of 2^-24; the product is exact.
    const auto small = static_cast<std::uint32_t>(static_cast<std::int32_t>(
        (magnitude < 0x38800000 ? from_bits(magnitude) : 0.0F) * 0x1p24F));
    const std::uint32_t normal = (magnitude - (112U << 23)) >> 13;
    std::uint32_t half = magnitude < 0x38800000 ? small : normal;
    half = magnitude >= 0x47800000 ? 0x7BFF : half;
    half = magnitude == 0x7F800000 ? 0x7C00 : half;
    return x != x ? 0x7FFF : half | ((bits >> 16) & 0x8000);
  }
};

// s + error, where |error| is below a unit of s, as a float that is odd in its last bit unless
// exact. Rounded once more, to a format of at most 22 bits, it gives what one rounding would.
inline float round_to_odd(double s, double error) {
  const auto f = static_cast<float>(s);
  // Only its sign counts. As a float (infinite, unless zero) it can be compared beside f in SIMD.
  const auto residual = static_cast<float>(((s - f) + error) * 0x1p800);
  const std::uint32_t bits = to_bits(f);
  const std::uint32_t sign = bits & 0x80000000, residual_sign = to_bits(residual) & 0x80000000;
  const std::uint32_t odd = (sign == residual_sign ? bits : bits - 1) | 1;
  return from_bits(std::fabs(residual) > 0 ? odd : bits);
}

}  // namespace gk::emulator
