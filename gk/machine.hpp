// SPDX-License-Identifier: Apache-2.0
// Who we run on: what the system says of the machine, and the datasheet's figures where known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gk {

struct CacheLevel {
  std::string name;             // "l1", "l2", "l3", "dram"
  std::int64_t capacity_bytes;  // of the cache; of the memory for "dram"
  std::int64_t plateau_bytes;   // a working set that surely sits in this level
};

// Instruction sets that the hand-written kernels choose by. Each implies that the operating
// system saves the registers; kAmxBf16 also that it granted the tiles to this process.
enum class Isa : std::uint8_t { kAvx2, kAvx512, kAvx512Bf16, kAmxBf16 };

std::string_view name_of(Isa isa);
bool cpu_has(Isa isa);

struct Machine {
  std::string name;  // CPU model as the system reports it
  int cores;         // usable by this process
  double nominal_mhz;
  std::int64_t llc_bytes;  // of one last-level cache; 0 where the system does not tell
  int llc_sharing = 1;     // CPUs that share it
  std::int64_t memory_bytes;
  std::vector<CacheLevel> levels;  // smallest first, "dram" last
  struct Cache {
    std::string type;
    int level, sharing;
    std::int64_t bytes;
  };
  std::vector<Cache> caches;  // as the system lists them for the first CPU
  std::string governor;       // empty where the system does not tell
  std::string huge_pages;     // "always", "madvise", "never", or empty
  std::string affinity;       // CPUs this process may use, as "0-1"
};

// Asked of the system once. Cache sizes come from sysfs, never from sysconf (which can be an
// order of magnitude off).
const Machine& machine();

// The level whose plateau a warm working set of `bytes` sits on, or null between two levels.
const CacheLevel* level_of(const Machine& machine, std::int64_t bytes);

}  // namespace gk
