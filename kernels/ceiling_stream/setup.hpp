// SPDX-License-Identifier: Apache-2.0
// What cpu_fused.cpp hands to the copy of itself that is compiled for the CPU at hand.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/ceiling_stream/problem.hpp"

namespace gk::ceiling_stream {

// What the launches of one plan share.
struct Setup {
  CeilingStream problem;
  int streams;               // parts of memory that are walked side by side
  std::int64_t ahead_bytes;  // of software prefetching; 0 asks for the line being read: harmless
  bool non_temporal;
};

struct Call {
  std::shared_ptr<const Setup> setup;
  const float* read[2];
  float* written[2];
};

}  // namespace gk::ceiling_stream
