// SPDX-License-Identifier: Apache-2.0
// Element types, and the only place where a run-time dtype becomes a template argument.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gk {

enum class DType : std::uint8_t { kF32, kBf16 };

// bfloat16: the upper half of an IEEE binary32.
struct Bf16 {
  std::uint16_t bits;
};

inline float to_float(float value) { return value; }
inline float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

// Rounds to nearest even. NaN stays NaN (quiet): the rounding carry must not turn it into infinity.
inline Bf16 to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  const std::uint32_t quiet_nan = (bits >> 16) | 0x40U;
  return {static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? quiet_nan : rounded)};
}

template <class T>
T from_float(float value) {
  if constexpr (std::is_same_v<T, float>) {
    return value;
  } else {
    return to_bf16(value);
  }
}

// The dtype's part of a benchmark's name.
constexpr std::string_view name_of(DType dtype) { return dtype == DType::kF32 ? "f32" : "bf16"; }

constexpr std::optional<DType> parse_dtype(std::string_view name) {
  for (const DType dtype : {DType::kF32, DType::kBf16}) {
    if (name_of(dtype) == name) return dtype;
  }
  return std::nullopt;
}

// Bytes of `count` elements; sub-byte types will round up here and nowhere else.
constexpr std::int64_t bytes_of(DType dtype, std::int64_t count) {
  return dtype == DType::kF32 ? count * 4 : count * 2;
}

// Relative error that the tolerance allows one output of this dtype: for bf16 that of storing it
// (8 significant bits), for f32 room for a few operations.
constexpr double round_off(DType dtype) { return dtype == DType::kF32 ? 0x1p-22 : 0x1p-8; }

// Calls f(T{}) with the C++ type of `dtype`.
template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  if (dtype == DType::kF32) return std::forward<F>(f)(float{});
  return std::forward<F>(f)(Bf16{});
}

}  // namespace gk
