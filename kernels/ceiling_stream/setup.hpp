// SPDX-License-Identifier: Apache-2.0
// What cpu_fused.cpp hands to the copy of itself that is compiled for the CPU at hand.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/ceiling_stream/problem.hpp"

namespace gk::ceiling_stream {

enum class Stores : std::uint8_t { kPlain, kNonTemporal };

constexpr std::int64_t kWhole = std::int64_t{1} << 40;  // elements: more than any stream has
constexpr std::int64_t kNear = 128 << 10;               // elements: four parts, 128 KiB apart

// A way to walk. Distances are compile-time constants: kept in registers, they cost 15 % of a
// four-stream read.
struct Variant {
  int streams;      // equal parts of a block that are walked side by side
  int ahead_bytes;  // of software prefetching; 0 is none
  Stores stores;
  // Idle additions per vector: issued as fast as they can be, loads and non-temporal stores get
  // in each other's way (5 to 9 % of 2 reads : 1 write on a Xeon).
  int idle;
  std::int64_t block;  // elements that are cut into the equal parts
};

// One plan each. Which is fastest changes with the cache level, and with the core that the
// process was given.
constexpr Variant kReading[] = {
    {2, 0, Stores::kPlain, 0, kWhole},    {1, 4096, Stores::kPlain, 0, kWhole},
    {2, 512, Stores::kPlain, 0, kWhole},  {4, 512, Stores::kPlain, 0, kWhole},
    {4, 2048, Stores::kPlain, 0, kWhole}, {4, 2048, Stores::kPlain, 0, kNear},
    {4, 2048, Stores::kPlain, 4, kNear}};
constexpr Variant kWriting[] = {
    {1, 0, Stores::kPlain, 0, kWhole},          {1, 512, Stores::kPlain, 0, kWhole},
    {1, 512, Stores::kNonTemporal, 0, kWhole},  {1, 4096, Stores::kNonTemporal, 0, kWhole},
    {4, 512, Stores::kNonTemporal, 0, kWhole},  {1, 2048, Stores::kNonTemporal, 12, kWhole},
    {1, 3072, Stores::kNonTemporal, 12, kWhole}};

// What the launches of one plan share.
struct Setup {
  CeilingStream problem;
  std::size_t variant;  // of kReading or kWriting
  float zero = 0;       // what the idle additions add: a value that the compiler cannot know
};

struct Call {
  std::shared_ptr<const Setup> setup;
  const float* read[2];
  float* written[2];
};

}  // namespace gk::ceiling_stream
