// SPDX-License-Identifier: Apache-2.0
// Between the lanes of a warp: shfl, vote, match, redux, activemask, elect.
#include <algorithm>
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
  const bool is_signed = opcode.type() == "s32";
  if (opcode.has("add")) return &reduce<Sum>;
  if (opcode.has("and")) return &reduce<And>;
  if (opcode.has("or")) return &reduce<Or>;
  if (opcode.has("xor")) return &reduce<Xor>;
  if (opcode.has("min"))
    return is_signed ? &reduce<Least<std::int32_t>> : &reduce<Least<std::uint32_t>>;
  if (opcode.has("max")) {
    return is_signed ? &reduce<Greatest<std::int32_t>> : &reduce<Greatest<std::uint32_t>>;
  }
  return nullptr;
}

// The position in `words` of the one that the opcode has; that is the variant.
std::uint8_t choice(const Opcode& opcode, std::initializer_list<std::string_view> words) {
  std::uint8_t position = 0;
  for (const std::string_view word : words) {
    if (opcode.has(word)) return position;
    ++position;
  }
  return position;
}

}  // namespace

bool decode_warp(Decoder& decoder, const Opcode& opcode, Instruction& into) {
  const std::string& name = opcode.name();
  const bool is_wide = opcode.type() == "b64";
  if (name == "activemask") {
    into.run = &active_mask;
  } else if (!opcode.has("sync")) {
    return false;
  } else if (name == "shfl") {
    into.run = &shuffle;
    into.variant = choice(opcode, {"bfly", "down", "up", "idx"});
  } else if (name == "vote") {
    into.run = &vote;
    into.variant = choice(opcode, {"all", "any", "uni", "ballot"});
  } else if (name == "match") {
    into.run = is_wide ? &match<std::uint64_t> : &match<std::uint32_t>;
    into.variant = choice(opcode, {"any", "all"});
  } else if (name == "redux") {
    into.run = find_reduction(opcode);
  } else if (name == "elect") {
    into.run = &elect;
  }
  if (into.run == nullptr) return false;
  into.kind = Class::kSync;
  const auto& operands = opcode.statement().operands;
  into.to[0] = decoder.destination(operands.front());
  if (operands.front().second >= 0) into.to[1] = decoder.predicate(operands.front().second);
  const std::array<Slot*, 4> sources{&into.a, &into.b, &into.c, &into.d};
  for (std::size_t i = 1; i < operands.size() && i <= sources.size(); ++i) {
    const bool is_value = i == 1 && name == "match" && is_wide;
    *sources[i - 1] = decoder.source(operands[i], is_value ? 8 : 4);
  }
  return true;
}

}  // namespace gk::emulator
