// SPDX-License-Identifier: Apache-2.0
// Loops over the 32 lanes of a warp, shaped so that the compiler makes SIMD of them: lanes lie side
// by side, and a full warp (the usual case) is not blended.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emulator/interpreter/opcode.hpp"
#include "emulator/interpreter/warp.hpp"

// Iterations are independent: registers do not overlap.
#ifdef __clang__
#define GK_LANES \
  _Pragma("clang loop vectorize(assume_safety)") for (int lane = 0; lane < kLanes; ++lane)
#else
#define GK_LANES _Pragma("GCC ivdep") for (int lane = 0; lane < kLanes; ++lane)
#endif

namespace gk::emulator {

// A destination's lanes.
template <class T>
T* to_lanes(Warp& warp, const Slot& slot) {
  return static_cast<T*>(__builtin_assume_aligned(warp.registers + slot.offset, 64));
}
// A source's lanes.
template <class T>
const T* lanes_of(const Warp& warp, const Slot& slot) {
  const std::byte* base = slot.constant ? warp.constants : warp.registers;
  return static_cast<const T*>(__builtin_assume_aligned(base + slot.offset, 64));
}
// A predicate as a source: a register's mask, or a constant that holds for all lanes.
inline std::uint32_t predicate_of(const Warp& warp, const Slot& slot) {
  if (slot.constant) return *lanes_of<std::uint32_t>(warp, slot) != 0 ? ~0U : 0U;
  const auto mask = *reinterpret_cast<const std::uint32_t*>(warp.registers + slot.offset);
  return slot.negated ? ~mask : mask;
}
inline void set_predicate(Warp& warp, const Slot& slot, std::uint32_t lanes) {
  auto& mask = *reinterpret_cast<std::uint32_t*>(warp.registers + slot.offset);
  mask = (mask & ~warp.active) | (lanes & warp.active);
}

// to[0] = F(a), F(a, b), F(a, b, c) in the active lanes.
template <class To, class A, class F>
Flow unary(Warp& warp, const Instruction& i) {
  To* to = to_lanes<To>(warp, i.to[0]);
  const A* a = lanes_of<A>(warp, i.a);
  if (warp.all_active) {
    GK_LANES to[lane] = static_cast<To>(F{}(a[lane]));
  } else {
    GK_LANES to[lane] = warp.lane_mask[lane] ? static_cast<To>(F{}(a[lane])) : to[lane];
  }
  return Flow::kNext;
}
template <class To, class A, class B, class F>
Flow binary(Warp& warp, const Instruction& i) {
  To* to = to_lanes<To>(warp, i.to[0]);
  const A* a = lanes_of<A>(warp, i.a);
  const B* b = lanes_of<B>(warp, i.b);
  if (warp.all_active) {
    GK_LANES to[lane] = static_cast<To>(F{}(a[lane], b[lane]));
  } else {
    GK_LANES to[lane] = warp.lane_mask[lane] ? static_cast<To>(F{}(a[lane], b[lane])) : to[lane];
  }
  return Flow::kNext;
}
template <class To, class A, class B, class C, class F>
Flow ternary(Warp& warp, const Instruction& i) {
  To* to = to_lanes<To>(warp, i.to[0]);
  const A* a = lanes_of<A>(warp, i.a);
  const B* b = lanes_of<B>(warp, i.b);
  const C* c = lanes_of<C>(warp, i.c);
  if (warp.all_active) {
    GK_LANES to[lane] = static_cast<To>(F{}(a[lane], b[lane], c[lane]));
  } else {
    GK_LANES to[lane] =
        warp.lane_mask[lane] ? static_cast<To>(F{}(a[lane], b[lane], c[lane])) : to[lane];
  }
  return Flow::kNext;
}

template <class To, class A, class F>
constexpr Match match_unary(Class kind) {
  return {&unary<To, A, F>, sizeof(A), 0, 0, kind, sizeof(To)};
}
template <class To, class A, class B, class F>
constexpr Match match_binary(Class kind) {
  return {&binary<To, A, B, F>, sizeof(A), sizeof(B), 0, kind, sizeof(To)};
}
template <class To, class A, class B, class C, class F>
constexpr Match match_ternary(Class kind) {
  return {&ternary<To, A, B, C, F>, sizeof(A), sizeof(B), sizeof(C), kind, sizeof(To)};
}

}  // namespace gk::emulator
