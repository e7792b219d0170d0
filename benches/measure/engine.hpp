// SPDX-License-Identifier: Apache-2.0
// What every step of measuring needs: where operands live, the clock, the machine, the settings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "benches/measure/clock.hpp"
#include "benches/measure/phases.hpp"
#include "benches/measure/watchdog.hpp"
#include "gk/machine.hpp"
#include "gk/registry.hpp"

namespace gk::measure {

struct Settings {
  double budget_s = 0.5;              // of timing, per member of a block
  double precision = 0.01;            // stop when the median is known this well
  std::size_t min_rounds = 5;         // even when the budget is spent
  std::size_t precision_rounds = 20;  // before that, precision is luck
  std::size_t max_rounds = 200;       // samples kept per row
  std::uint64_t seed = 1;
  int threads = 1;
  bool race_plans = true;  // false: the first plan that runs here
};

struct Engine {
  Memory& memory;
  Clock& clock;
  const Machine& machine;
  Settings settings;
  Phases& phases;
  Watchdog& watchdog;
  // Told before anything of a case runs, so that the watchdog's bite knows whom to blame.
  std::function<void(const Case&)> running = [](const Case&) {};

  // Times `calls` as one, under the watchdog.
  Sample run(std::span<const Launch> calls) {
    // A call of 20 times its budget hangs; below a second nobody would call it that.
    const double limit_s = std::max(1.0, 20 * settings.budget_s);
    return watchdog.guard(limit_s, [&] { return clock.time(calls); });
  }
};

}  // namespace gk::measure
