// SPDX-License-Identifier: Apache-2.0
// The one place where time is taken. A clock per kind of device; tests bring their own.
#pragma once

#include <span>

#include "gk/problem.hpp"

namespace gk::measure {

struct Sample {
  double seconds = 0;      // wall time of all calls together
  double cpu_seconds = 0;  // of the whole process
  bool disturbed = false;  // the process was switched out against its will
};

class Clock {
 public:
  virtual ~Clock() = default;
  // Runs the calls back to back and times them as one.
  virtual Sample time(std::span<const Launch> calls) = 0;
  // The smallest interval that this clock can tell from zero.
  virtual double resolution_s() const = 0;
  // Wall time since some moment, for budgets.
  virtual double now_s() const = 0;
};

}  // namespace gk::measure
