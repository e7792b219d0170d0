// SPDX-License-Identifier: Apache-2.0
// What the conversions share. Each is a loop over 32 lanes of the types' own widths; the handler
// around it also serves registers that are wider than the type, which cvt allows.
#pragma once

#include "emulator/interpreter/ops/half_formats.hpp"

namespace gk::emulator {

// The register that a type has by nature: 16 bits at least.
template <class T>
struct LaneOf : std::type_identity<T> {};
template <>
struct LaneOf<std::int8_t> : std::type_identity<std::int16_t> {};
template <>
struct LaneOf<std::uint8_t> : std::type_identity<std::uint16_t> {};
template <>
struct LaneOf<Bf16> : std::type_identity<std::uint16_t> {};
template <>
struct LaneOf<F16> : std::type_identity<std::uint16_t> {};
template <class T>
using Lane = typename LaneOf<T>::type;

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, Bf16> || std::is_same_v<T, F16>;

// The number in a lane: an integer of type T, a float, or a double.
template <class T>
auto value_of(Lane<T> lane) {
  if constexpr (kIsHalf<T>) {
    return T::widen(lane);
  } else {
    return static_cast<T>(lane);
  }
}

template <class D, class A>
using Loop = void (*)(Lane<D>* to, const Lane<A>* from);

template <class To, class From>
void copy_lanes(To* to, const From* from) {
  GK_LANES to[lane] = static_cast<To>(from[lane]);
}
template <class T>
void blend_lanes(const Warp& warp, T* to, const T* from) {
  GK_LANES to[lane] = warp.lane_mask[lane] != 0 ? from[lane] : to[lane];
}

// The source's lanes, narrowed into `space` where the register is wider than the type.
template <class A>
const Lane<A>* narrowed(const Warp& warp, const Slot& slot, Lane<A>* space) {
  if (slot.bytes == sizeof(Lane<A>)) return lanes_of<Lane<A>>(warp, slot);
  if constexpr (std::is_integral_v<A>) {
    if (slot.bytes == 2) copy_lanes(space, lanes_of<std::uint16_t>(warp, slot));
    if (slot.bytes == 4) copy_lanes(space, lanes_of<std::uint32_t>(warp, slot));
    if (slot.bytes == 8) copy_lanes(space, lanes_of<std::uint64_t>(warp, slot));
  }
  return space;
}

template <class D, class Wide>
void widen_into(Warp& warp, const Slot& slot, const Lane<D>* from) {
  alignas(64) Wide wide[kLanes];
  // NOLINTNEXTLINE(bugprone-signed-char-misuse): a signed byte is meant to spread its sign.
  GK_LANES wide[lane] = static_cast<Wide>(static_cast<D>(from[lane]));
  blend_lanes(warp, to_lanes<Wide>(warp, slot), wide);
}

template <class D, class A, Loop<D, A> kLoop>
Flow convert(Warp& warp, const Instruction& i) {
  alignas(64) Lane<A> space[kLanes];
  const Lane<A>* from = narrowed<A>(warp, i.a, space);
  const Slot& to = i.to[0];
  if (warp.all_active && to.bytes == sizeof(Lane<D>)) {
    kLoop(to_lanes<Lane<D>>(warp, to), from);
    return Flow::kNext;
  }
  alignas(64) Lane<D> result[kLanes];
  kLoop(result, from);
  if (to.bytes == sizeof(Lane<D>)) {
    blend_lanes(warp, to_lanes<Lane<D>>(warp, to), result);
  } else if constexpr (std::is_integral_v<D>) {  // extended by its own sign
    if (to.bytes == 4) widen_into<D, std::int32_t>(warp, to, result);
    if (to.bytes == 8) widen_into<D, std::int64_t>(warp, to, result);
  }
  return Flow::kNext;
}

template <class D, class A, Loop<D, A> kLoop>
Match match_convert() {
  return {&convert<D, A, kLoop>, sizeof(Lane<A>), 0, 0, Class::kOther};
}

// To an integral value, as .rni .rzi .rmi .rpi say.
struct Nearest {
  template <class T>
  T operator()(T x) const {
    return std::rint(x);
  }
};
struct Truncate {
  template <class T>
  T operator()(T x) const {
    return std::trunc(x);
  }
};
struct Down {
  template <class T>
  T operator()(T x) const {
    return std::floor(x);
  }
};
struct Up {
  template <class T>
  T operator()(T x) const {
    return std::ceil(x);
  }
};
// make.operator()<Round>() for the way that the opcode names, or nothing.
template <class Make>
Match with_integral_rounding(const Opcode& opcode, Make make) {
  if (opcode.has("rni")) return make.template operator()<Nearest>();
  if (opcode.has("rzi")) return make.template operator()<Truncate>();
  if (opcode.has("rmi")) return make.template operator()<Down>();
  if (opcode.has("rpi")) return make.template operator()<Up>();
  return {};
}

template <class Make>
Match with_any_integer(std::string_view type, Make make) {
  if (type == "s8") return make.template operator()<std::int8_t>();
  if (type == "u8") return make.template operator()<std::uint8_t>();
  return with_integer(type, make);
}
template <class Make>
Match with_any_float(std::string_view type, Make make) {
  if (type == "f32") return make.template operator()<float>();
  if (type == "f64") return make.template operator()<double>();
  if (type == "f16") return make.template operator()<F16>();
  if (type == "bf16") return make.template operator()<Bf16>();
  return {};
}
inline bool is_float_type(std::string_view type) {
  return type == "f32" || type == "f64" || type == "f16" || type == "bf16";
}

// Registers as wide as the type, or wider where the type is an integer.
inline bool fits(const Opcode& opcode, std::size_t operand, std::string_view type,
                 std::size_t bytes) {
  const auto have = static_cast<std::size_t>(opcode.register_bytes(operand));
  return have == 0 || have == bytes || (have > bytes && !is_float_type(type));
}

// The parts of find_convert, each for opcodes whose last two words are its kinds of type.
Match find_integer_to_integer(const Opcode& opcode);
Match find_float_to_integer(const Opcode& opcode);
Match find_integer_to_float(const Opcode& opcode);
Match find_float_to_float(const Opcode& opcode);
Match find_packing(const Opcode& opcode);

}  // namespace gk::emulator
