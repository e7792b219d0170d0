// SPDX-License-Identifier: Apache-2.0
// What a launch moved and computed, counted exactly: the proof of the bytes that a roofline claims.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/interpreter/code.hpp"
#include "emulator/memory/device_memory.hpp"

namespace gk::emulator {

struct Warp;
struct Request;

constexpr std::uint64_t kSectorBytes = 32;  // the least that DRAM and L2 move

// Traffic of one range of global memory, in sectors.
struct Traffic {
  std::uint64_t first_reads = 0;     // sectors read at least once, that this launch had not written
  std::uint64_t repeated_reads = 0;  // requests for a sector that an earlier request had fetched
  std::uint64_t first_writes = 0;    // sectors written at least once
  std::uint64_t repeated_writes = 0;
};

struct Audit {
  std::vector<std::string> kernels;        // as in PTX, in the order of their launches
  std::uint64_t dynamic_shared_bytes = 0;  // the most of any launch
  std::uint64_t thread_instructions = 0;
  std::array<std::uint64_t, kClasses> by_class{};  // thread instructions
  std::uint64_t of(Class kind) const { return by_class[static_cast<std::size_t>(kind)]; }
  // Global memory.
  std::uint64_t load_requests = 0, load_sectors = 0;
  std::uint64_t store_requests = 0, store_sectors = 0;
  // Sectors that the same bytes would take if they lay side by side.
  std::uint64_t least_load_sectors = 0, least_store_sectors = 0;
  // Shared memory: cycles beyond the least that the widths ask for.
  std::uint64_t bank_conflicts = 0;
  // The most bytes of global loads that a thread issued before it used the first of them: a lead
  // only, ptxas may order loads in another way.
  std::uint64_t bytes_in_flight_per_thread = 0;
  Traffic traffic;  // all of global memory
};

// All launches with Options::audit since reset_audit().
const Audit& audited();
void reset_audit();
// The part of it that fell into a range of device addresses.
Traffic traffic_in(Range range);

// Counts while a launch runs.
class AuditCounter {
 public:
  // Of a launch of `kernel`.
  AuditCounter(const std::string& kernel, std::uint64_t dynamic_shared_bytes);
  void start_block();
  void request(const Request& request);
  void executed(const Warp& warp, const Instruction& at);

 private:
  void count_global(const Request& request);
  void count_shared(const Request& request);
  void use_loads(const Warp& warp, const Instruction& at);

  // Loads of a warp whose values nobody has used yet.
  struct InFlight {
    std::uint64_t bytes = 0;
    std::vector<std::uint32_t> registers;  // offsets
  };
  std::vector<InFlight> in_flight_;  // by warp of a block
};

}  // namespace gk::emulator
