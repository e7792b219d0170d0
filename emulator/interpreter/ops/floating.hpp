// SPDX-License-Identifier: Apache-2.0
// Floating-point pieces that several families are made of. All are branchless, so that loops over
// them become SIMD.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "emulator/interpreter/ops/family.hpp"

namespace gk::emulator {

inline float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline double from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }
inline std::uint32_t to_bits(float x) { return std::bit_cast<std::uint32_t>(x); }
inline std::uint64_t to_bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// What instructions return that make a NaN.
template <class T>
T canonical_nan() {
  if constexpr (sizeof(T) == 4) return from_bits(0x7FFFFFFFU);
  return from_bits(std::uint64_t{0x7FFFFFFFFFFFFFFF});
}

// .ftz: subnormal numbers count as zeros of their sign.
inline float flush(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x;
}
// .sat: into [0, 1]; NaN becomes 0.
template <class T>
T saturate(T x) {
  x = x > T{0} ? x : T{0};
  return x < T{1} ? x : T{1};
}

template <class F>
struct Flushed {
  template <class... T>
  float operator()(T... x) const {
    return flush(F{}(flush(x)...));
  }
};
template <class F>
struct Saturated {
  template <class T, class... U>
  auto operator()(T x, U... more) const {
    return saturate(F{}(x, more...));
  }
};

struct FloatAdd {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct FloatSub {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct FloatMul {
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct FloatFma {
  template <class T>
  T operator()(T a, T b, T c) const {
    return std::fma(a, b, c);
  }
};

// The number beside a NaN; +0 is more than -0. With kNan any NaN wins (".NaN").
template <bool kMax, bool kNan>
struct Extremum {
  template <class T>
  T operator()(T a, T b) const {
    const auto x = to_bits(a), y = to_bits(b);
    T chosen = (kMax ? a > b : a < b) ? a : b;
    chosen = a == b ? from_bits(kMax ? x & y : x | y) : chosen;
    chosen = b != b ? a : chosen;
    const bool is_nan = kNan ? bool(int(a != a) | int(b != b)) : bool(int(a != a) & int(b != b));
    return is_nan ? canonical_nan<T>() : chosen;
  }
};

// The handler, under another rounding mode than to nearest even. The calls are barriers to the
// compiler, and all operands come from memory, so nothing moves across them.
template <int kMode, Handler kHandler>
Flow rounded(Warp& warp, const Instruction& i) {
  std::fesetround(kMode);
  const Flow flow = kHandler(warp, i);
  std::fesetround(FE_TONEAREST);
  return flow;
}
// The handler under the mode that the opcode names, .rn where it names none.
template <Handler kHandler>
Handler with_rounding(const Opcode& opcode) {
  if (opcode.has("rz")) return &rounded<FE_TOWARDZERO, kHandler>;
  if (opcode.has("rm")) return &rounded<FE_DOWNWARD, kHandler>;
  if (opcode.has("rp")) return &rounded<FE_UPWARD, kHandler>;
  return kHandler;
}

// The handler of F on one, two or three operands of type T.
template <class T, int kOperands, class F>
constexpr Handler handler_of() {
  if constexpr (kOperands == 1) return &unary<T, T, F>;
  if constexpr (kOperands == 2) return &binary<T, T, T, F>;
  if constexpr (kOperands == 3) return &ternary<T, T, T, T, F>;
}

}  // namespace gk::emulator
