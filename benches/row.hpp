// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benches/measure/outcome.hpp"
#include "gk/registry.hpp"

namespace gk::benches {

// One row of a result file and of the console: a case, measured once.
struct Row {
  const Case& problem;
  Cache cache;
  const measure::Outcome& outcome;
  int repetition, repetitions;

  double bytes_per_s() const { return problem.work.bytes() / outcome.median_s; }
  double flop_per_s() const { return problem.work.flops / outcome.median_s; }
};

}  // namespace gk::benches
