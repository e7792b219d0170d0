// SPDX-License-Identifier: Apache-2.0
// 32 lanes that execute together. A warp is plain state: no stack, no fiber; it can be left and
// taken up at any instruction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/fault.hpp"
#include "emulator/interpreter/code.hpp"
#include "emulator/memory/device_memory.hpp"

namespace gk::emulator {

constexpr int kLanes = 32;

struct Block;

// Lanes of a warp that are at one instruction. Of several fragments the one with the lowest pc
// goes first, so that divergent lanes meet again where their paths join.
struct Fragment {
  enum class State : std::uint8_t { kReady, kGathering, kAtBarrier };
  std::uint32_t pc, lanes;
  State state = State::kReady;
  std::uint32_t used = 0;    // instructions of its slice
  std::uint8_t barrier = 0;  // of kAtBarrier
};

struct alignas(64) Warp {
  std::uint32_t lane_mask[kLanes];  // all ones where the lane is active, else 0
  std::byte* registers;
  const std::byte* constants;
  std::uint32_t active;  // lanes that execute the present instruction
  bool all_active;
  std::uint32_t present;        // lanes of the present fragment: active ones and those guarded off
  std::uint32_t held_back = 0;  // of the active lanes: they wait for others at this instruction
  std::uint32_t live;           // lanes that have not ended
  std::uint32_t index;          // in the block
  std::uint8_t pending_barrier = 0;  // what the present instruction waits at
  Block* block;
  const Kernel* kernel;
  bool is_watched;  // the block has a BlockWatch
  std::array<Range, 8>
      recent;  // allocations last accessed, by instruction; none is freed meanwhile
  std::vector<Fragment> fragments;
  std::uint64_t thread_instructions = 0, warp_instructions = 0;

  void activate(std::uint32_t lanes) {
    if (lanes == active) return;
    active = lanes;
    all_active = lanes == ~0U;
    for (int lane = 0; lane < kLanes; ++lane) lane_mask[lane] = 0U - ((lanes >> lane) & 1U);
  }
  int first_lane() const { return __builtin_ctz(active); }
  std::uint32_t thread(int lane) const { return index * kLanes + static_cast<std::uint32_t>(lane); }

  bool is_ready() const;
  // Runs fragments until none is ready, or about `budget` warp instructions were executed.
  void run(std::uint64_t budget);
  // Lanes waiting for others look again: the set of live lanes has changed.
  void wake_gathering();

 private:
  void run_alone(std::uint64_t end);
  void run_among_others(std::uint64_t end);
  Fragment* choose();
  void merge_into(Fragment& chosen);
  std::uint32_t next_meeting(const Fragment& running) const;
  // True when another fragment should be chosen.
  bool step(Fragment& running, std::uint32_t meeting);
  bool follow(Flow flow, Fragment& running, const Instruction& at, std::uint32_t meeting);
  bool leave_behind(Fragment& running);
  bool branch(Fragment& running, const Instruction& at);
};

[[noreturn]] void raise(FaultKind kind, std::string detail, const Warp& warp, const Instruction& at,
                        int lane);

}  // namespace gk::emulator
