// SPDX-License-Identifier: Apache-2.0
// Where the wall time of a run went; what no phase claims is the engine's own cost.
#pragma once

#include <array>
#include <chrono>
#include <string_view>
#include <utility>

namespace gk::measure {

enum class Phase { kGenerate, kPrepare, kVerify, kWarmUp, kTime };
inline constexpr std::array<std::string_view, 5> kPhaseNames = {"generate", "prepare", "verify",
                                                                "warm up", "time"};

class Phases {
 public:
  // Runs `work` and adds its wall time to `phase`.
  template <class F>
  decltype(auto) in(Phase phase, F&& work) {
    const Stamp stamp{*this, phase};
    return std::forward<F>(work)();
  }
  double seconds(Phase phase) const { return spent_[static_cast<std::size_t>(phase)]; }
  double total() const { return since(start_); }
  double own() const {
    double rest = total();
    for (const double spent : spent_) rest -= spent;
    return rest;
  }

 private:
  using Steady = std::chrono::steady_clock;
  static double since(Steady::time_point start) {
    return std::chrono::duration<double>(Steady::now() - start).count();
  }
  struct Stamp {
    Phases& phases;
    Phase phase;
    Steady::time_point start = Steady::now();
    ~Stamp() { phases.spent_[static_cast<std::size_t>(phase)] += since(start); }
  };

  Steady::time_point start_ = Steady::now();
  std::array<double, 5> spent_{};
};

}  // namespace gk::measure
