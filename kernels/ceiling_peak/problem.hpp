// SPDX-License-Identifier: Apache-2.0
// ceiling_peak: the most multiply-adds that a unit can do, from registers alone. The operands are
// tiny and used again and again, so that the result is known and nothing waits for memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gk/problem.hpp"
#include "gk/sweep.hpp"

namespace gk::ceiling_peak {

// One round adds kSteps equal products to each accumulator, then stores them all and starts again
// from zero; a call is kRounds rounds, about a millisecond.
constexpr std::int64_t kSteps = 256, kRounds = 512;

// Vectors: y[chain, lane] = kSteps * (a[chain % 4] b[chain / 4] of that lane; in bf16 of the lane's
// two elements, added). 20 chains hide the latency of a multiply-add (4 or 5 cycles, 2 at once),
// and 4 + 5 operands leave room for them in 32 registers. No two chains have equal operands: a
// compiler would compute them once.
constexpr std::int64_t kChains = 20, kLanes = 16, kLeft = 4, kRight = 5;
// Matrices: y = kSteps * A B^T, all of them 32 x 32.
constexpr std::int64_t kMatrix = 32;

// What does the multiply-adds.
enum class Instruction : std::uint8_t { kMultiplyAddF32, kMultiplyAddBf16, kDotBf16, kTiles };

struct CeilingPeak {
  static constexpr std::string_view kName = "ceiling_peak";

  struct Operands {
    Tensor a;  // vector: [4, lanes * elements of a lane]; matrix: [32, 32]
    Tensor b;  // vector: [5, the same];                   matrix: [32, 32]
    Tensor y;  // f32. vector: [20, 16];                   matrix: [32, 32]
  };

  DType dtype;  // of a and b
  Unit unit;
  std::vector<std::string> roles;

  static std::vector<CeilingPeak> sweep(const Sweep& sweep);
  std::vector<Axis> axes() const;
  Work work() const;
  Operands operands(Arena& arena) const;
  std::int64_t rows() const { return unit == Unit::kVector ? kChains : kMatrix; }
  // Rounding errors of equal addends all have one sign: they grow as the additions, not as their
  // root, up to 2^-24 S additions / 2. This number of terms makes that the tolerance.
  std::int64_t terms() const { return (additions() / 8) * (additions() / 8); }
  Cache only_cache() const { return Cache::kWarm; }  // nothing is loaded
  ReferenceRow reference(Arena& arena) const;

 private:
  std::int64_t products() const;  // of one output element in one step
  std::int64_t additions() const { return kSteps * products(); }
};

}  // namespace gk::ceiling_peak
