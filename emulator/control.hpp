// SPDX-License-Identifier: Apache-2.0
// What a test, the audit or a rehearsal may set and read. None of it exists on a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/fault.hpp"

namespace gk::emulator {

// In which order blocks and warps run. Any order is legal on a GPU; a right kernel does not care.
enum class Order : std::uint8_t { kForward, kReverse, kRandom };

struct Options {
  bool races = true;          // shared memory within a block, global memory within a grid
  bool uninitialised = true;  // reads of shared and global memory that nobody wrote
  bool audit = false;         // fills Audit (audit.hpp)
  Order order = Order::kForward;
  std::uint64_t seed = 1;  // of Order::kRandom
  int host_threads = 1;    // blocks in parallel; races, uninitialised and audit need 1
  // Warp instructions of one launch; more is a fault: a loop without end looks like any other.
  std::uint64_t instruction_limit = std::uint64_t{1} << 36;
  int arch = 0;                       // use the PTX of this compute capability (80); 0: the newest
  std::int64_t l2_bytes = 256 << 10;  // of the emulated device: small, so that rotations are
  std::int64_t memory_bytes = std::int64_t{4} << 30;  // of the emulated device; at most 4 GiB
};

// Set before a launch; read at every launch. Starts from the environment:
// GK_EMULATOR_ORDER=forward|reverse|random[:SEED], GK_EMULATOR_LIMIT=<instruction_limit>.
Options& options();

// The first fault since the last reset(), which is also what the sticky error of the runtime means.
const std::optional<Fault>& last_fault();

// Forgets faults, sticky errors, all allocations, streams, events and graphs: a new context.
void reset();

// The clock behind events: stands still but for this, and for nanoseconds per launch if set.
void advance_clock(double nanoseconds);
void set_launch_nanoseconds(double nanoseconds);

// Counters since the process began.
struct Executed {
  std::uint64_t launches, thread_instructions, warp_instructions;
  double seconds;  // of interpretation
};
Executed executed();

}  // namespace gk::emulator
