// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/bound_plan.hpp"

#include <algorithm>
#include <cmath>

#include "gk/text.hpp"

namespace gk::measure {
namespace {

constexpr int kMostCalls = 1 << 20;  // in one sample; then it is too short to time

}  // namespace

BoundPlan::BoundPlan(const Plan& plan, OperandSets& sets, Engine& engine)
    : plan_(plan), sets_(&sets), engine_(&engine) {
  engine.phases.in(Phase::kPrepare, [&] {
    for (std::size_t slot = 0; slot < sets.count(); ++slot) {
      launches_.push_back(plan.bind(sets[slot]));
    }
  });
}

// Copies the closures of the next slots into one warm array: cache misses on the harness's own
// objects are not the kernel's.
std::span<const Launch> BoundPlan::next_calls() {
  batch_.clear();
  for (int i = 0; i < calls_per_sample_; ++i) batch_.push_back(launches_[sets_->advance()]);
  return batch_;
}

void BoundPlan::settle(double target_s) {
  calls_per_sample_ = 1;
  while (true) {
    const double seconds = engine_->run(next_calls()).seconds;
    if (seconds >= target_s) return;
    if (calls_per_sample_ == kMostCalls) {
      throw std::runtime_error("too short to time: " + std::to_string(kMostCalls) + " calls took " +
                               fixed(seconds * 1e9, 0) + " ns");
    }
    // Straight to the target when a rate is known, at most 16 times more at once.
    const double factor = seconds > 0 ? std::min(16.0, target_s / seconds * 1.1) : 16.0;
    calls_per_sample_ =
        static_cast<int>(std::min<double>(kMostCalls, std::ceil(calls_per_sample_ * factor)));
  }
}

// Warm operands are warm: other contenders, and their non-temporal stores, may have evicted them
// since this one's last sample, so one call goes before that is not timed.
Sample BoundPlan::sample() {
  if (!sets_->cold_factor()) engine_->run(std::span(launches_).first(1));
  Sample taken = engine_->run(next_calls());
  taken.seconds /= calls_per_sample_;
  taken.cpu_seconds /= calls_per_sample_;
  return taken;
}

void BoundPlan::run_ending_on(std::size_t slot) {
  batch_.clear();
  const std::size_t sets = sets_->count();
  for (auto left = static_cast<std::size_t>(calls_per_sample_); left > 0; --left) {
    batch_.push_back(launches_[(slot + sets - (left - 1) % sets) % sets]);
  }
  engine_->run(batch_);
}

}  // namespace gk::measure
