// SPDX-License-Identifier: Apache-2.0
// bar and barrier: sync, arrive, red; bar.warp.sync; membar and fence.
#include "emulator/interpreter/ops/synchronise.hpp"

#include <algorithm>
#include <bit>

#include "emulator/checks/watch.hpp"
#include "emulator/interpreter/block.hpp"
#include "emulator/interpreter/decode.hpp"
#include "emulator/interpreter/lanes.hpp"
#include "emulator/text.hpp"

namespace gk::emulator {
namespace {

enum class Reduction : std::uint8_t { kNone, kCount, kAll, kAny };
constexpr std::uint8_t kArriveOnly = 1, kAligned = 2;  // bits of Instruction::variant
constexpr int kReductionShift = 2;

// All lanes of the warp have to come to an aligned barrier together.
bool is_converged(Warp& warp, const Instruction& at) {
  const std::uint32_t missing = warp.live & ~warp.active;
  if ((missing & warp.present) != 0) {
    raise(FaultKind::kBarrier,
          "divergent barrier: lanes " + hexadecimal(missing & warp.present) + " pass it by", warp,
          at, warp.first_lane());
  }
  return missing == 0;
}

// A barrier that counts all threads of the block is one place in the program for all of them.
void check_one_place(Warp& warp, const Instruction& at, std::uint32_t id) {
  Barrier& barrier = warp.block->barriers[id];
  if (barrier.arrived == 0) {
    barrier.statement = at.statement;
  } else if (barrier.statement != at.statement) {
    const auto& statements = warp.kernel->function->statements;
    const auto& other = statements[static_cast<std::size_t>(barrier.statement)];
    raise(FaultKind::kBarrier,
          "mismatched barrier: other threads wait at PTX line " + std::to_string(other.ptx_line),
          warp, at, warp.first_lane());
  }
}

std::uint32_t uniform(const Warp& warp, const Slot& slot) {
  return lanes_of<std::uint32_t>(warp, slot)[warp.first_lane()];
}

void check_arrivals(const Warp& warp, const Instruction& at, std::uint32_t id,
                    std::uint32_t expected, std::uint32_t arriving) {
  if (id >= warp.block->barriers.size()) {
    raise(FaultKind::kBarrier, "barrier " + std::to_string(id) + ": a block has 16", warp, at,
          warp.first_lane());
  }
  const Barrier& barrier = warp.block->barriers[id];
  if (expected % kLanes != 0) {
    raise(FaultKind::kBarrier,
          "barrier for " + std::to_string(expected) + " threads: not a multiple of the warp size",
          warp, at, warp.first_lane());
  }
  if (barrier.arrived > 0 && barrier.expected != expected) {
    raise(FaultKind::kBarrier,
          "mismatched barrier: some threads expect " + std::to_string(barrier.expected) +
              " at it, others " + std::to_string(expected) + " (0: the whole block)",
          warp, at, warp.first_lane());
  }
  if (expected != 0 && barrier.arrived + arriving > expected) {
    raise(FaultKind::kBarrier,
          "more than the " + std::to_string(expected) + " expected threads came to the barrier",
          warp, at, warp.first_lane());
  }
}

// Whether the group that one lane names is here.
bool is_complete(const Warp& warp, const Instruction& at, const std::uint32_t* members, int lane) {
  const std::uint32_t wanted = members[lane];
  const auto fail = [&](const std::string& what) {
    raise(FaultKind::kWarpSync, what, warp, at, lane);
  };
  if ((wanted >> lane & 1U) == 0) {
    fail("the lane is not in its own member mask " + hexadecimal(wanted));
  }
  if (const std::uint32_t gone = wanted & ~warp.live; gone != 0) {
    fail("the member mask names lanes " + hexadecimal(gone) + ", which have ended");
  }
  const std::uint32_t missing = wanted & ~warp.active;
  if (const std::uint32_t passing = missing & warp.present; passing != 0) {
    fail("the member mask names lanes " + hexadecimal(passing) + ", which do not take part");
  }
  if (missing != 0) return false;
  for (std::uint32_t rest = wanted; rest != 0; rest &= rest - 1) {
    const int other = std::countr_zero(rest);
    if (members[other] == wanted) continue;
    fail("lanes " + std::to_string(other) + " and " + std::to_string(lane) +
         " are in one group but name different masks, " + hexadecimal(members[other]) + " and " +
         hexadecimal(wanted));
  }
  return true;
}

Flow barrier(Warp& warp, const Instruction& at) {
  if ((at.variant & kAligned) != 0 && !is_converged(warp, at)) return Flow::kGather;
  const std::uint32_t id = uniform(warp, at.a);
  const std::uint32_t expected = at.b.bytes == 0 ? 0 : uniform(warp, at.b);
  // With a count, an aligned barrier counts whole warps, however many of their threads live.
  const bool whole = expected != 0 && (at.variant & kAligned) != 0;
  const auto lanes = static_cast<std::uint32_t>(std::popcount(warp.active));
  const std::uint32_t arriving = whole ? kLanes : lanes;
  check_arrivals(warp, at, id, expected, arriving);
  if (expected == 0) check_one_place(warp, at, id);
  const bool waits = (at.variant & kArriveOnly) == 0;
  const std::uint32_t counted = at.c.bytes == 0 ? 0 : predicate_of(warp, at.c);
  const auto which = static_cast<std::uint8_t>(id);
  if (warp.block->watch) warp.block->watch->arrived(which, warp, waits);
  warp.block->arrive(which,
                     {.arrived = arriving,
                      .threads = lanes,
                      .expected = expected,
                      .counted = static_cast<std::uint32_t>(std::popcount(counted & warp.active))});
  if (!waits) {
    warp.block->settle(which);
    return Flow::kNext;
  }
  warp.pending_barrier = which;
  return Flow::kBlocked;
}

Flow warp_barrier(Warp& warp, const Instruction& at) {
  if (!are_together(warp, at, lanes_of<std::uint32_t>(warp, at.a))) return Flow::kGather;
  if (warp.block->watch) warp.block->watch->warp_synchronised(warp);
  return Flow::kNext;
}

Flow fence(Warp& warp, const Instruction&) {
  if (warp.block->watch) warp.block->watch->fenced(warp);
  return Flow::kNext;
}
Flow block_fence(Warp&, const Instruction&) { return Flow::kNext; }

// The first and the last operand of a bar.red: where the result goes, and what is reduced.
Reduction decode_reduction(Decoder& decoder, const Opcode& opcode, Instruction& into) {
  const bool counts = opcode.has("popc");
  into.to[0] = decoder.destination(opcode.operand(0));
  if (counts) {
    decoder.require(into.to[0], 4);
  } else {
    decoder.require_predicate(into.to[0]);
  }
  into.c = decoder.source(opcode.operand(opcode.operands() - 1), 4);
  decoder.require_predicate(into.c);
  if (counts) return Reduction::kCount;
  return opcode.has("and") ? Reduction::kAll : Reduction::kAny;
}

bool decode_barrier(Decoder& decoder, const Opcode& opcode, Instruction& into) {
  if (!opcode.has_only({"bar", "barrier", "cta", "sync", "arrive", "red", "aligned", "popc", "and",
                        "or", "u32", "pred"})) {
    return false;
  }
  const bool reduces = opcode.has("red"), arrives = opcode.has("arrive");
  if (!reduces && !arrives && !opcode.has("sync")) return false;
  const Reduction reduction = reduces ? decode_reduction(decoder, opcode, into) : Reduction::kNone;
  const std::size_t first = reduces ? 1 : 0;
  const std::size_t last = opcode.operands() - first;  // before what is reduced
  into.a = decoder.require(decoder.source(opcode.operand(first), 4), 4);
  if (first + 1 < last) into.b = decoder.require(decoder.source(opcode.operand(first + 1), 4), 4);
  if (arrives && into.b.bytes == 0) return false;
  // "bar" is "barrier.aligned"; without it, lanes of one warp may come one by one.
  const bool aligned = opcode.name() == "bar" || opcode.has("aligned");
  into.variant = static_cast<std::uint16_t>((arrives ? kArriveOnly : 0) | (aligned ? kAligned : 0) |
                                            (static_cast<int>(reduction) << kReductionShift));
  into.run = &barrier;
  return true;
}

}  // namespace

bool are_together(Warp& warp, const Instruction& at, const std::uint32_t* members) {
  std::uint32_t complete = 0;
  for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (is_complete(warp, at, members, lane)) complete |= 1U << lane;
  }
  if (complete == 0) return false;
  warp.held_back = warp.active & ~complete;
  warp.activate(complete);
  return true;
}

void deliver_barrier_result(Warp& warp, const Fragment& fragment, std::uint32_t counted,
                            std::uint32_t threads) {
  const Instruction& at = warp.kernel->code[fragment.pc - 1];
  const auto reduction = static_cast<Reduction>(at.variant >> kReductionShift);
  if (reduction == Reduction::kNone) return;
  warp.activate(fragment.lanes);
  if (reduction == Reduction::kCount) {
    auto* to = to_lanes<std::uint32_t>(warp, at.to[0]);
    GK_LANES to[lane] = warp.lane_mask[lane] ? counted : to[lane];
    return;
  }
  const bool holds = reduction == Reduction::kAll ? counted == threads : counted > 0;
  set_predicate(warp, at.to[0], holds ? ~0U : 0U);
}

void raise_stuck(const Warp& warp, const Instruction& at, const Fragment& fragment) {
  const int lane = std::countr_zero(fragment.lanes);
  const std::uint32_t absent = warp.live & ~fragment.lanes;
  if (fragment.state == Fragment::State::kAtBarrier) {
    raise(FaultKind::kDeadlock, "the barrier waits for threads that never come", warp, at, lane);
  }
  const bool is_barrier = at.run == &barrier;
  raise(is_barrier ? FaultKind::kBarrier : FaultKind::kWarpSync,
        (is_barrier ? std::string("divergent barrier: ") : std::string("divergent warp: ")) +
            "lanes " + hexadecimal(absent) + " never come to it",
        warp, at, lane);
}

bool decode_synchronise(Decoder& decoder, const Opcode& opcode, Instruction& into) {
  into.kind = Class::kSync;
  if (opcode.name() == "bar" && opcode.has("warp")) {
    if (!opcode.has_only({"bar", "warp", "sync"})) return false;
    into.a = decoder.require(decoder.source(opcode.operand(0), 4), 4);
    into.run = &warp_barrier;
    return true;
  }
  if (opcode.name() == "bar" || opcode.name() == "barrier") {
    return decode_barrier(decoder, opcode, into);
  }
  if (opcode.name() == "membar" || opcode.name() == "fence") {
    if (!opcode.has_only({"membar", "fence", "gl", "sys", "cta", "gpu", "sc", "acq_rel"})) {
      return false;
    }
    into.run = opcode.has("cta") ? &block_fence : &fence;
    return true;
  }
  into.kind = Class::kOther;
  return false;
}

}  // namespace gk::emulator
