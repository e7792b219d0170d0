// SPDX-License-Identifier: Apache-2.0
// Between the lanes of a warp: shfl, vote, match, redux, activemask, elect.
#include <array>
#include <bit>
#include <initializer_list>

#include "emulator/interpreter/decode.hpp"
#include "emulator/interpreter/lanes.hpp"
#include "emulator/interpreter/ops/synchronise.hpp"

namespace gk::emulator {
namespace {

using Words = const std::uint32_t*;

enum class Shuffle : std::uint8_t { kButterfly, kDown, kUp, kIndex };

struct SourceLane {
  int lane;
  bool in_range;
};

// PTX ISA, shfl: c holds a clamp (bits 0-4) and a segment mask (bits 8-12).
SourceLane source_lane(Shuffle mode, int lane, std::uint32_t b, std::uint32_t c) {
  const int segment = static_cast<int>((c >> 8) & 31);
  const int clamp = static_cast<int>(c & 31);
  const int by = static_cast<int>(b & 31);
  const int lowest = lane & segment;
  const int highest = lowest | (clamp & ~segment);
  switch (mode) {
    case Shuffle::kButterfly:
      return {lane ^ by, (lane ^ by) <= highest};
    case Shuffle::kDown:
      return {lane + by, lane + by <= highest};
    case Shuffle::kUp:
      return {lane - by, lane - by >= highest};
    case Shuffle::kIndex:
      break;
  }
  const int lane_in_segment = lowest | (by & ~segment);
  return {lane_in_segment, lane_in_segment <= highest};
}

// a: value, b: lane or distance, c: clamp and segment, d: member mask.
Flow shuffle(Warp& warp, const Instruction& at) {
  if (!are_together(warp, at, lanes_of<std::uint32_t>(warp, at.d))) return Flow::kGather;
  const Words a = lanes_of<std::uint32_t>(warp, at.a);
  const Words b = lanes_of<std::uint32_t>(warp, at.b);
  const Words c = lanes_of<std::uint32_t>(warp, at.c);
  const Words members = lanes_of<std::uint32_t>(warp, at.d);
  alignas(64) std::uint32_t result[kLanes] = {};
  std::uint32_t in_range = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (warp.lane_mask[lane] == 0) continue;
    const auto mode = static_cast<Shuffle>(at.variant);
    const SourceLane from = source_lane(mode, lane, b[lane], c[lane]);
    if (!from.in_range) {
      result[lane] = a[lane];
      continue;
    }
    if ((members[lane] >> from.lane & 1U) == 0) {
      raise(FaultKind::kWarpSync,
            "reads the value of lane " + std::to_string(from.lane) +
                ", which is not in the member mask",
            warp, at, lane);
    }
    result[lane] = a[from.lane];
    in_range |= 1U << lane;
  }
  auto* to = to_lanes<std::uint32_t>(warp, at.to[0]);
  GK_LANES to[lane] = warp.lane_mask[lane] ? result[lane] : to[lane];
  if (at.to[1].bytes != 0) set_predicate(warp, at.to[1], in_range);
  return Flow::kNext;
}

enum class Vote : std::uint8_t { kAll, kAny, kUniform, kBallot };

// a: predicate, b: member mask.
Flow vote(Warp& warp, const Instruction& at) {
  const Words members = lanes_of<std::uint32_t>(warp, at.b);
  if (!are_together(warp, at, members)) return Flow::kGather;
  const std::uint32_t votes = predicate_of(warp, at.a) & warp.active;
  std::uint32_t holds = 0;
  alignas(64) std::uint32_t ballot[kLanes] = {};
  for (int lane = 0; lane < kLanes; ++lane) {
    if (warp.lane_mask[lane] == 0) continue;
    const std::uint32_t mine = votes & members[lane];
    const bool all = mine == members[lane];
    const bool any = mine != 0;
    const auto mode = static_cast<Vote>(at.variant);
    ballot[lane] = mine;
    const bool result = mode == Vote::kAll ? all : mode == Vote::kAny ? any : all || !any;
    if (result) holds |= 1U << lane;
  }
  if (static_cast<Vote>(at.variant) != Vote::kBallot) {
    set_predicate(warp, at.to[0], holds);
    return Flow::kNext;
  }
  auto* to = to_lanes<std::uint32_t>(warp, at.to[0]);
  GK_LANES to[lane] = warp.lane_mask[lane] ? ballot[lane] : to[lane];
  return Flow::kNext;
}

// a: value, b: member mask. to: the lanes with the same value; for "all", zero unless all are
// equal.
template <class T>
Flow match(Warp& warp, const Instruction& at) {
  const Words members = lanes_of<std::uint32_t>(warp, at.b);
  if (!are_together(warp, at, members)) return Flow::kGather;
  const T* a = lanes_of<T>(warp, at.a);
  const bool wants_all = at.variant != 0;
  alignas(64) std::uint32_t equal[kLanes] = {};
  std::uint32_t all_equal = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (warp.lane_mask[lane] == 0) continue;
    for (int other = 0; other < kLanes; ++other) {
      const bool is_member = (members[lane] >> other & 1U) != 0;
      if (is_member && a[other] == a[lane]) equal[lane] |= 1U << other;
    }
    if (equal[lane] == members[lane]) all_equal |= 1U << lane;
    if (wants_all && equal[lane] != members[lane]) equal[lane] = 0;
  }
  auto* to = to_lanes<std::uint32_t>(warp, at.to[0]);
  GK_LANES to[lane] = warp.lane_mask[lane] ? equal[lane] : to[lane];
  if (at.to[1].bytes != 0) set_predicate(warp, at.to[1], all_equal);
  return Flow::kNext;
}

struct Sum {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};
struct And {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a & b; }
};
struct Or {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a | b; }
};
struct Xor {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a ^ b; }
};
template <class T>
struct Least {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return static_cast<T>(a) < static_cast<T>(b) ? a : b;
  }
};
template <class T>
struct Greatest {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return static_cast<T>(a) > static_cast<T>(b) ? a : b;
  }
};

// a: value, b: member mask.
template <class F>
Flow reduce(Warp& warp, const Instruction& at) {
  const Words members = lanes_of<std::uint32_t>(warp, at.b);
  if (!are_together(warp, at, members)) return Flow::kGather;
  const Words a = lanes_of<std::uint32_t>(warp, at.a);
  alignas(64) std::uint32_t result[kLanes] = {};
  for (int lane = 0; lane < kLanes; ++lane) {
    if (warp.lane_mask[lane] == 0) continue;
    std::uint32_t rest = members[lane];
    result[lane] = a[std::countr_zero(rest)];
    for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
      result[lane] = F{}(result[lane], a[std::countr_zero(rest)]);
    }
  }
  auto* to = to_lanes<std::uint32_t>(warp, at.to[0]);
  GK_LANES to[lane] = warp.lane_mask[lane] ? result[lane] : to[lane];
  return Flow::kNext;
}

Flow active_mask(Warp& warp, const Instruction& at) {
  auto* to = to_lanes<std::uint32_t>(warp, at.to[0]);
  GK_LANES to[lane] = warp.lane_mask[lane] ? warp.active : to[lane];
  return Flow::kNext;
}

// to[0]: the elected lane, to[1]: true in it alone. a: member mask.
Flow elect(Warp& warp, const Instruction& at) {
  const Words members = lanes_of<std::uint32_t>(warp, at.a);
  if (!are_together(warp, at, members)) return Flow::kGather;
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(members[warp.first_lane()]));
  auto* to = to_lanes<std::uint32_t>(warp, at.to[0]);
  GK_LANES to[lane] = warp.lane_mask[lane] ? leader : to[lane];
  set_predicate(warp, at.to[1], 1U << leader);
  return Flow::kNext;
}

Handler find_reduction(const Opcode& opcode) {
  const std::string& type = opcode.type();
  if (type == "b32") {
    if (opcode.has("and")) return &reduce<And>;
    if (opcode.has("or")) return &reduce<Or>;
    return opcode.has("xor") ? &reduce<Xor> : nullptr;
  }
  const bool is_signed = type == "s32";
  if (!is_signed && type != "u32") return nullptr;
  if (opcode.has("add")) return &reduce<Sum>;
  if (opcode.has("min")) {
    return is_signed ? &reduce<Least<std::int32_t>> : &reduce<Least<std::uint32_t>>;
  }
  if (!opcode.has("max")) return nullptr;
  return is_signed ? &reduce<Greatest<std::int32_t>> : &reduce<Greatest<std::uint32_t>>;
}

// Sets the variant to the position in `words` of the one that the opcode has, if it has one.
bool choose(const Opcode& opcode, std::initializer_list<std::string_view> words,
            Instruction& into) {
  for (const std::string_view word : words) {
    if (opcode.has(word)) return true;
    ++into.variant;
  }
  return false;
}

Handler find_exchange(const Opcode& opcode, Instruction& into) {
  const std::string& name = opcode.name();
  if (name == "shfl" && opcode.has_only({"shfl", "sync", "bfly", "down", "up", "idx", "b32"})) {
    return choose(opcode, {"bfly", "down", "up", "idx"}, into) ? &shuffle : nullptr;
  }
  if (name == "vote" &&
      opcode.has_only({"vote", "sync", "all", "any", "uni", "ballot", "pred", "b32"})) {
    return choose(opcode, {"all", "any", "uni", "ballot"}, into) ? &vote : nullptr;
  }
  if (name == "match" && opcode.has_only({"match", "sync", "all", "any", "b32", "b64"})) {
    if (!choose(opcode, {"any", "all"}, into)) return nullptr;
    return opcode.type() == "b64" ? &match<std::uint64_t> : &match<std::uint32_t>;
  }
  if (name == "redux" && opcode.has_only({"redux", "sync", "add", "min", "max", "and", "or", "xor",
                                          "u32", "s32", "b32"})) {
    return find_reduction(opcode);
  }
  return name == "elect" && opcode.has_only({"elect", "sync"}) ? &elect : nullptr;
}

}  // namespace

bool decode_warp(Decoder& decoder, const Opcode& opcode, Instruction& into) {
  const bool asks = opcode.name() == "activemask" && opcode.has_only({"activemask", "b32"});
  into.run = asks ? &active_mask : opcode.has("sync") ? find_exchange(opcode, into) : nullptr;
  if (into.run == nullptr) return false;
  into.kind = Class::kSync;
  const ptx::Operand& to = opcode.operand(0);
  const bool votes = opcode.name() == "vote";
  into.to[0] = decoder.destination(to);
  if (to.kind == ptx::Operand::Kind::kRegister) {
    if (votes && !opcode.has("ballot")) {
      decoder.require_predicate(into.to[0]);
    } else {
      decoder.require(into.to[0], 4);
    }
  }
  if (to.second >= 0) into.to[1] = decoder.predicate(to.second);
  if (to.second < 0 && opcode.name() == "elect") return false;
  const std::size_t sources = asks                       ? 0
                              : opcode.name() == "shfl"  ? 4
                              : opcode.name() == "elect" ? 1
                                                         : 2;
  const std::array<Slot*, 4> slots{&into.a, &into.b, &into.c, &into.d};
  for (std::size_t i = 0; i < sources; ++i) {
    const bool is_wide = i == 0 && opcode.name() == "match" && opcode.type() == "b64";
    *slots[i] = decoder.source(opcode.operand(i + 1), is_wide ? 8 : 4);
    if (votes && i == 0) {
      decoder.require_predicate(*slots[i]);
    } else {
      decoder.require(*slots[i], is_wide ? 8 : 4);
    }
  }
  return true;
}

}  // namespace gk::emulator
