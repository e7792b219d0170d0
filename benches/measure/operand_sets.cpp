// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/operand_sets.hpp"

#include <algorithm>
#include <cmath>

#include "gk/text.hpp"

namespace gk::measure {
namespace {

constexpr std::int64_t kMostTensors = 4;  // of a set, for the gaps between them

// All last-level caches that the threads may spread over.
std::int64_t cache_bytes(const Engine& engine) {
  const Machine& machine = engine.machine;
  const int caches = (engine.settings.threads + machine.llc_sharing - 1) / machine.llc_sharing;
  return machine.llc_bytes * caches;
}

std::int64_t sets_for(std::int64_t set_bytes, Cache cache, const Engine& engine) {
  if (cache == Cache::kWarm) return 1;
  if (engine.machine.llc_bytes == 0) {
    throw Unsupported("cannot be made cold: the system does not tell its cache sizes");
  }
  const double needed = kColdFactor * static_cast<double>(cache_bytes(engine));
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(needed / static_cast<double>(set_bytes))));
}

}  // namespace

std::int64_t bytes_of_one_set(const Case& problem) {
  CountingMemory counting;
  Scratch scratch(counting);
  Arena arena(counting, scratch, 0);
  problem.operands(arena);
  return arena.operand_bytes();
}

std::int64_t bytes_of_rotation(const Case& problem, Cache cache, const Engine& engine) {
  const std::int64_t set_bytes = bytes_of_one_set(problem);
  return sets_for(set_bytes, cache, engine) * set_bytes;
}

OperandSets::OperandSets(const Case& problem, Cache cache, Engine& engine)
    : memory_(&engine.memory), scratch_(engine.memory), set_bytes_(bytes_of_one_set(problem)) {
  const std::int64_t available = memory_->available_bytes();
  if (set_bytes_ > available) throw OutOfMemory(set_bytes_, available);
  const std::int64_t sets = sets_for(set_bytes_, cache, engine);
  if (sets > available / (set_bytes_ + kMostTensors * memory_->gap_bytes())) {
    throw Unsupported("cannot be made cold in " + gigabytes(available) + ": needs " +
                      gigabytes(sets * set_bytes_) + " in rotation");
  }
  if (cache == Cache::kCold) {
    cold_factor_ =
        static_cast<double>(sets * set_bytes_) / static_cast<double>(cache_bytes(engine));
  }
  engine.phases.in(Phase::kGenerate, [&] { make(problem, sets, engine.settings.seed); });
}

void OperandSets::make(const Case& problem, std::int64_t sets, std::uint64_t run_seed) {
  for (std::int64_t set = 0; set < sets; ++set) {
    // Seeds of two sets differ in more than the last bits.
    const std::uint64_t seed =
        run_seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(set) * 0xd1b54a32d192ed03ULL;
    problem.operands(arenas_.emplace_back(*memory_, scratch_, seed));
  }
}

void OperandSets::release_to(const Mark& mark) {
  memory_->release_to(mark.memory);
  scratch_ = mark.scratch;
  for (Arena& arena : arenas_) arena.forget_packed(mark.packed_pieces);
}

}  // namespace gk::measure
