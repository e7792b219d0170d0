// SPDX-License-Identifier: Apache-2.0
// atom and red: lane by lane, each indivisible, in ascending order of the lanes.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "emulator/interpreter/decode.hpp"
#include "emulator/interpreter/lanes.hpp"
#include "emulator/interpreter/ops/locate.hpp"

namespace gk::emulator {
namespace {

// Of (old value, operand b, operand c): the value that is stored.
struct Exchange {
  template <class T>
  T operator()(T, T b, T) const {
    return b;
  }
};
struct CompareAndSwap {
  template <class T>
  T operator()(T old, T b, T c) const {
    return old == b ? c : old;
  }
};
struct Add {
  template <class T>
  T operator()(T old, T b, T) const {
    return static_cast<T>(old + b);
  }
};
// In global memory sums of f32 are flushed: subnormal numbers count as zeros of their sign.
struct AddFlushed {
  static float flushed(float x) {
    return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x;
  }
  float operator()(float old, float b, float) const { return flushed(flushed(old) + flushed(b)); }
};
struct Least {
  template <class T>
  T operator()(T old, T b, T) const {
    return std::min(old, b);
  }
};
struct Greatest {
  template <class T>
  T operator()(T old, T b, T) const {
    return std::max(old, b);
  }
};
struct And {
  template <class T>
  T operator()(T old, T b, T) const {
    return old & b;
  }
};
struct Or {
  template <class T>
  T operator()(T old, T b, T) const {
    return old | b;
  }
};
struct Xor {
  template <class T>
  T operator()(T old, T b, T) const {
    return old ^ b;
  }
};
struct Increment {  // wraps to 0 behind b
  template <class T>
  T operator()(T old, T b, T) const {
    return old >= b ? T{0} : static_cast<T>(old + 1);
  }
};
struct Decrement {
  template <class T>
  T operator()(T old, T b, T) const {
    return old == 0 || old > b ? b : static_cast<T>(old - 1);
  }
};

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T, class F>
T update(std::byte* where, T b, T c) {
  std::atomic_ref<Bits<T>> cell(*reinterpret_cast<Bits<T>*>(where));
  Bits<T> old = cell.load();
  while (
      !cell.compare_exchange_weak(old, std::bit_cast<Bits<T>>(F{}(std::bit_cast<T>(old), b, c)))) {
  }
  return std::bit_cast<T>(old);
}

template <class T, class F>
Flow atomic(Warp& warp, const Instruction& at) {
  Located located;
  locate_lanes(warp, at, sizeof(T), located);
  const T* b = lanes_of<T>(warp, at.b);
  const T* c = at.c.bytes == 0 ? b : lanes_of<T>(warp, at.c);
  T* to = at.to[0].bytes == 0 ? nullptr : to_lanes<T>(warp, at.to[0]);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (located.lane[lane] == nullptr) continue;
    const T old = update<T, F>(located.lane[lane], b[lane], c[lane]);
    if (to != nullptr) to[lane] = old;
  }
  return Flow::kNext;
}

template <class T>
Handler find_integer_update(const Opcode& opcode) {
  if (opcode.has("add")) return &atomic<T, Add>;
  if (opcode.has("min")) return &atomic<T, Least>;
  if (opcode.has("max")) return &atomic<T, Greatest>;
  if (opcode.has("inc")) return &atomic<T, Increment>;
  if (opcode.has("dec")) return &atomic<T, Decrement>;
  return nullptr;
}

template <class T>
Handler find_bitwise_update(const Opcode& opcode) {
  if (opcode.has("exch")) return &atomic<T, Exchange>;
  if (opcode.has("cas")) return &atomic<T, CompareAndSwap>;
  if (opcode.has("and")) return &atomic<T, And>;
  if (opcode.has("or")) return &atomic<T, Or>;
  if (opcode.has("xor")) return &atomic<T, Xor>;
  return nullptr;
}

Handler find_update(const Opcode& opcode) {
  const std::string& type = opcode.type();
  if (type == "u32") return find_integer_update<std::uint32_t>(opcode);
  if (type == "s32") return find_integer_update<std::int32_t>(opcode);
  if (type == "u64") return find_integer_update<std::uint64_t>(opcode);
  if (type == "s64") return find_integer_update<std::int64_t>(opcode);
  if (type == "b32") return find_bitwise_update<std::uint32_t>(opcode);
  if (type == "b64") return find_bitwise_update<std::uint64_t>(opcode);
  if (type == "f32" && opcode.has("add")) {
    const bool is_shared = opcode.has("shared") || opcode.has("shared::cta");
    return is_shared ? &atomic<float, Add> : &atomic<float, AddFlushed>;
  }
  if (type == "f64" && opcode.has("add")) return &atomic<double, Add>;
  return nullptr;
}

constexpr std::string_view kKnown[] = {
    "atom",    "red",  "global", "shared", "shared::cta", "relaxed", "acquire", "release",
    "acq_rel", "cta",  "gpu",    "sys",    "add",         "min",     "max",     "inc",
    "dec",     "exch", "cas",    "and",    "or",          "xor"};

}  // namespace

bool decode_atomic(Decoder& decoder, const Opcode& opcode, Instruction& into) {
  const bool reduces = opcode.name() == "red";
  if (!reduces && opcode.name() != "atom") return false;
  const auto& words = opcode.statement().opcode;
  const bool all_known = std::all_of(words.begin(), words.end() - 1, [](const std::string& word) {
    return std::ranges::find(kKnown, word) != std::end(kKnown);
  });
  into.run = all_known ? find_update(opcode) : nullptr;
  if (into.run == nullptr) return false;
  const auto width = static_cast<std::uint8_t>(opcode.type().ends_with("64") ? 8 : 4);
  std::size_t next = 0;
  if (!reduces) into.to[0] = decoder.destination(opcode.operand(next++));
  if (!reduces && opcode.operand(0).kind == ptx::Operand::Kind::kRegister) {
    decoder.require(into.to[0], width);
  }
  bind_address(decoder, opcode.operand(next++), mode_of(opcode, Access::kAtomic), into);
  into.b = decoder.require(decoder.source(opcode.operand(next++), width), width);
  if (opcode.has("cas")) {
    into.c = decoder.require(decoder.source(opcode.operand(next++), width), width);
  }
  if (next != opcode.operands()) return false;
  into.kind = Class::kMemory;
  return true;
}

}  // namespace gk::emulator
