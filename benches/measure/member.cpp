// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/member.hpp"

#include <algorithm>
#include <cmath>

#include "benches/measure/stats.hpp"
#include "gk/text.hpp"

namespace gk::measure {
namespace {

constexpr double kResolutions = 1000;  // a sample is at least this many clock resolutions long
constexpr int kMostCalls = 1 << 20;    // in one sample; then it is too short to time
constexpr int kQuickSamples = 5;       // per plan, when plans are compared
constexpr double kWarmUpShare = 0.1;   // of the budget

struct WrongResult : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void set_status(Outcome& outcome, Status status, const std::string& message) {
  outcome.status = status;
  outcome.message = message.empty() ? "no reason was given" : message;
}

}  // namespace

const Truth& SlotTruth::of(const Case& problem, std::size_t slot) {
  if (!truth_ || slot_ != slot) {
    truth_ = make_truth(problem, (*sets_)[slot], engine_->settings.seed);
    slot_ = slot;
  }
  return *truth_;
}

void Member::attempt(const std::function<void()>& step) {
  if (!alive()) return;
  try {
    step();
  } catch (const Unsupported& reason) {
    set_status(outcome_, Status::kSkipped, reason.what());
  } catch (const OutOfMemory& reason) {
    set_status(outcome_, Status::kSkipped, reason.what());
  } catch (const WrongResult& fault) {
    set_status(outcome_, Status::kWrong, fault.what());
  } catch (const std::exception& error) {
    set_status(outcome_, Status::kError, error.what());
  } catch (...) {
    set_status(outcome_, Status::kError, "threw something that is no std::exception");
  }
}

void Member::prepare(Engine& engine, SlotTruth& truth) {
  engine.running(*problem_);
  const auto plans = engine.phases.in(Phase::kPrepare, [&] { return problem_->plans(); });
  if (plans.empty()) throw std::runtime_error("the implementation made no plan");
  outcome_.sets = static_cast<std::int64_t>(sets_->count());
  outcome_.set_bytes = sets_->set_bytes();
  outcome_.cold_factor = sets_->cold_factor();
  choose(plans, engine, truth);
}

void Member::bind(const Plan& plan, Engine& engine) {
  engine.phases.in(Phase::kPrepare, [&] {
    launches_.clear();
    for (std::size_t slot = 0; slot < sets_->count(); ++slot) {
      launches_.push_back(plan.bind((*sets_)[slot]));
    }
  });
  use(plan);
}

void Member::use(const Plan& plan) {
  outcome_.plan = plan.detail;
  stores_intermediates_ = plan.stores_intermediates;
}

// One plan's repacked weights can be gigabytes. Plans are kept side by side while they fit; when
// memory runs out, what earlier plans took is given back, and the best is bound again in the end.
void Member::choose(std::span<const Plan> plans, Engine& engine, SlotTruth& truth) {
  const auto mark = sets_->mark();
  const std::int64_t available = sets_->available_bytes();
  Best best;
  std::string refusals;
  for (const Plan& plan : plans) {
    try {
      bind_with_room(plan, engine, mark, best);
    } catch (const Unsupported& reason) {
      refusals += (refusals.empty() ? "" : "; ") + std::string(reason.what());
      continue;
    }
    check(engine, truth, 0, std::span(launches_).first(1));
    ++outcome_.plans_tried;
    const double median_s = plans.size() == 1 ? 0 : quick_median_s(engine);
    if (outcome_.plans_tried == 1) outcome_.first_plan_s = median_s;
    if (best.plan == nullptr || median_s < best.seconds) best = {&plan, median_s, launches_};
  }
  if (best.plan == nullptr) throw Unsupported(refusals);
  const std::int64_t taken = available - sets_->available_bytes();
  const bool crowded = outcome_.plans_tried > 1 && sets_->available_bytes() < taken;
  if (crowded || best.launches.empty()) {  // leave the other members their room
    sets_->release_to(mark);
    bind(*best.plan, engine);
  } else {
    launches_ = std::move(best.launches);
    use(*best.plan);
  }
}

void Member::bind_with_room(const Plan& plan, Engine& engine, const OperandSets::Mark& mark,
                            Best& best) {
  try {
    bind(plan, engine);
  } catch (const OutOfMemory&) {
    sets_->release_to(mark);
    best.launches.clear();
    bind(plan, engine);
  }
}

// The calls run over poisoned outputs; the last of them writes `slot`.
void Member::check(Engine& engine, SlotTruth& truth, std::size_t slot,
                   std::span<const Launch> calls) {
  const Verdict verdict = engine.phases.in(Phase::kVerify, [&] {
    (*sets_)[slot].poison_outputs();
    engine.run(calls);
    return verify(*problem_, (*sets_)[slot], truth.of(*problem_, slot), stores_intermediates_);
  });
  if (!verdict.fault.empty()) throw WrongResult(verdict.fault);
  outcome_.max_error = std::max(outcome_.max_error, verdict.max_error);
  outcome_.tolerance_used = std::max(outcome_.tolerance_used, verdict.tolerance_used);
}

// Copies the closures of the next slots into one warm array: cache misses on the harness's own
// objects are not the kernel's.
std::span<const Launch> Member::next_calls(int count) {
  batch_.clear();
  for (int i = 0; i < count; ++i) batch_.push_back(launches_[sets_->advance()]);
  return batch_;
}

double Member::quick_median_s(Engine& engine) {
  return engine.phases.in(Phase::kWarmUp, [&] {
    settle_calls(engine, kResolutions * engine.clock.resolution_s());
    std::vector<double> seconds;
    for (int i = 0; i < kQuickSamples; ++i) {
      seconds.push_back(engine.run(next_calls(outcome_.calls_per_sample)).seconds /
                        outcome_.calls_per_sample);
    }
    return median(seconds);
  });
}

// Finds how many calls last `target_s`, the first calls being those that also warm up.
void Member::settle_calls(Engine& engine, double target_s) {
  int& calls = outcome_.calls_per_sample;
  calls = 1;
  while (true) {
    const double seconds = engine.run(next_calls(calls)).seconds;
    if (seconds >= target_s) return;
    if (calls == kMostCalls) {
      throw std::runtime_error("too short to time: " + std::to_string(kMostCalls) + " calls took " +
                               fixed(seconds * 1e9, 0) + " ns");
    }
    // Straight to the target when a rate is known, at most 16 times more at once.
    const double factor = seconds > 0 ? std::min(16.0, target_s / seconds * 1.1) : 16.0;
    calls = static_cast<int>(std::min<double>(kMostCalls, std::ceil(calls * factor)));
  }
}

void Member::warm_up(Engine& engine) {
  engine.running(*problem_);
  const double target_s =
      std::max(kResolutions * engine.clock.resolution_s(),
               engine.settings.budget_s / static_cast<double>(engine.settings.max_rounds));
  engine.phases.in(Phase::kWarmUp, [&] {
    const double end_s = engine.clock.now_s() + kWarmUpShare * engine.settings.budget_s;
    do {
      settle_calls(engine, target_s);
    } while (engine.clock.now_s() < end_s);
  });
}

void Member::sample(Engine& engine) {
  engine.running(*problem_);
  const auto calls = next_calls(outcome_.calls_per_sample);
  Sample taken = engine.phases.in(Phase::kTime, [&] { return engine.run(calls); });
  taken.seconds /= outcome_.calls_per_sample;
  taken.cpu_seconds /= outcome_.calls_per_sample;
  rounds_.push_back(taken);
  disturbed_ += taken.disturbed ? 1 : 0;
}

void Member::verify_after(Engine& engine, SlotTruth& truth, std::size_t slot) {
  engine.running(*problem_);
  batch_.clear();
  const auto sets = sets_->count();
  const auto calls = static_cast<std::size_t>(outcome_.calls_per_sample);
  for (std::size_t i = 1; i <= calls; ++i) {
    batch_.push_back(launches_[(slot + sets - (calls - i) % sets) % sets]);
  }
  check(engine, truth, slot, batch_);
}

void Member::summarise(const Settings& settings, std::string_view stop_reason) {
  std::vector<double> cpu;
  outcome_.samples_s.clear();
  for (std::size_t round = 0; round < rounds_.size(); ++round) {
    if (!usable(round)) continue;
    outcome_.samples_s.push_back(rounds_[round].seconds);
    cpu.push_back(rounds_[round].cpu_seconds);
  }
  outcome_.samples_dropped = static_cast<int>(rounds_.size() - outcome_.samples_s.size());
  outcome_.calls = static_cast<std::int64_t>(outcome_.samples_s.size()) * outcome_.calls_per_sample;
  outcome_.median_s = median(outcome_.samples_s);
  outcome_.cpu_s = median(cpu);
  outcome_.relative_precision = relative_precision(outcome_.samples_s);
  const bool precise = outcome_.relative_precision <= settings.precision;
  outcome_.stop_reason = precise ? "precision" : stop_reason;
  if (outcome_.plans_tried == 1) outcome_.first_plan_s = outcome_.median_s;
}

}  // namespace gk::measure
