// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "benches/measure/operand_sets.hpp"

namespace gk::measure {

// A sample is at least this many resolutions of the clock long.
inline constexpr double kResolutions = 1000;

// A plan, bound to every operand set of a block.
class BoundPlan {
 public:
  BoundPlan(const Plan& plan, OperandSets& sets, Engine& engine);

  const Plan& plan() const { return plan_; }
  int calls_per_sample() const { return calls_per_sample_; }

  // Finds how many calls last `target_s`; the first calls are those that also warm up. Throws
  // where even a million take no measurable time.
  void settle(double target_s);
  // Times calls_per_sample() calls over the next slots; the result is of one call.
  Sample sample();
  // Runs as many calls as a sample has, the last of them on `slot`.
  void run_ending_on(std::size_t slot);

 private:
  std::span<const Launch> next_calls();

  Plan plan_;
  OperandSets* sets_;
  Engine* engine_;
  int calls_per_sample_ = 1;
  std::vector<Launch> launches_;  // one per slot
  std::vector<Launch> batch_;
};

}  // namespace gk::measure
