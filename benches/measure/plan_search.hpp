// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "benches/measure/bound_plan.hpp"

namespace gk::measure {

struct PlanChoice {
  BoundPlan best;
  int tried;
  double first_s;  // of the first plan; 0 where there was no other to race against
};

// Binds every plan, lets `check` verify it (it throws where the result is wrong), races them
// round-robin, and returns the fastest. Throws Unsupported with all reasons when every plan does.
PlanChoice choose_plan(std::span<const Plan> plans, OperandSets& sets, Engine& engine,
                       const std::function<void(BoundPlan&)>& check);

}  // namespace gk::measure
