// SPDX-License-Identifier: Apache-2.0
// The operand sets that a block rotates through, so that a cold call finds nothing in a cache.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "benches/measure/engine.hpp"

namespace gk::measure {

// Bytes touched between two uses of one set, over the last-level cache, that count as cold.
inline constexpr double kColdFactor = 3;

class OperandSets {
 public:
  // Makes all sets. Throws OutOfMemory when not even one fits, and Unsupported when one fits but
  // the rotation that cold needs does not.
  OperandSets(const Case& problem, Cache cache, Engine& engine);

  std::size_t count() const { return arenas_.size(); }
  Arena& operator[](std::size_t slot) { return arenas_[slot]; }
  std::int64_t set_bytes() const { return set_bytes_; }
  // Null on warm sets.
  std::optional<double> cold_factor() const { return cold_factor_; }
  // The next slot to use. Shared by all contenders: A on slot 0 must not warm it for B.
  std::size_t advance() { return next_++ % arenas_.size(); }

  // Undoes all memory that bindings took since `mark`, scratch included.
  struct Mark {
    std::int64_t memory;
    Scratch scratch;
    std::size_t packed_pieces;  // in each arena: a member packs into all of them alike
  };
  Mark mark() const { return {memory_->mark(), scratch_, arenas_.front().packed_pieces()}; }
  std::int64_t available_bytes() const { return memory_->available_bytes(); }
  void release_to(const Mark& mark);

 private:
  void make(const Case& problem, std::int64_t sets, std::uint64_t run_seed);

  Memory* memory_;
  Scratch scratch_;
  std::deque<Arena> arenas_;
  std::int64_t set_bytes_ = 0;
  std::optional<double> cold_factor_;
  std::size_t next_ = 0;
};

// Bytes of one operand set of `problem`, without making it.
std::int64_t bytes_of_one_set(const Case& problem);
// Bytes of all sets that the cache state needs. Throws Unsupported where cold is not possible.
std::int64_t bytes_of_rotation(const Case& problem, Cache cache, const Engine& engine);

}  // namespace gk::measure
