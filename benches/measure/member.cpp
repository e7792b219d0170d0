// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/member.hpp"

#include <algorithm>
#include <utility>

#include "benches/measure/plan_search.hpp"
#include "benches/measure/stats.hpp"

namespace gk::measure {
namespace {

constexpr double kWarmUpShare = 0.1;  // of the budget

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
  PlanChoice choice =
      choose_plan(plans, *sets_, engine, [&](BoundPlan& plan) { check(plan, engine, truth, 0); });
  outcome_.plans_tried = choice.tried;
  outcome_.first_plan_s = choice.first_s;
  outcome_.plan = choice.best.plan().detail;
  plan_ = std::move(choice.best);
  if (choice.tried == 1) return;
  outcome_.max_error = outcome_.tolerance_used = 0;  // the winner's own, not the losers'
  check(*plan_, engine, truth, 0);
}

void Member::check(BoundPlan& plan, Engine& engine, SlotTruth& truth, std::size_t slot) {
  const Verdict verdict = engine.phases.in(Phase::kVerify, [&] {
    (*sets_)[slot].poison_outputs();
    plan.run_ending_on(slot);
    return verify(*problem_, (*sets_)[slot], truth.of(*problem_, slot),
                  plan.plan().stores_intermediates);
  });
  if (!verdict.fault.empty()) throw WrongResult(verdict.fault);
  outcome_.max_error = std::max(outcome_.max_error, verdict.max_error);
  outcome_.tolerance_used = std::max(outcome_.tolerance_used, verdict.tolerance_used);
}

void Member::warm_up(Engine& engine) {
  engine.running(*problem_);
  const double target_s =
      std::max(kResolutions * engine.clock.resolution_s(),
               engine.settings.budget_s / static_cast<double>(engine.settings.max_rounds));
  engine.phases.in(Phase::kWarmUp, [&] {
    const double end_s = engine.clock.now_s() + kWarmUpShare * engine.settings.budget_s;
    do {
      plan_->settle(target_s);
    } while (engine.clock.now_s() < end_s);
  });
  outcome_.calls_per_sample = plan_->calls_per_sample();
}

void Member::sample(Engine& engine) {
  engine.running(*problem_);
  rounds_.push_back(engine.phases.in(Phase::kTime, [&] { return plan_->sample(); }));
  disturbed_ += rounds_.back().disturbed ? 1 : 0;
}

void Member::forget_rounds() {
  rounds_.clear();
  disturbed_ = 0;
}

void Member::verify_after(Engine& engine, SlotTruth& truth, std::size_t slot) {
  engine.running(*problem_);
  check(*plan_, engine, truth, slot);
}

void Member::summarise(std::string_view stop_reason) {
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
  outcome_.stop_reason = stop_reason;
  if (outcome_.plans_tried == 1) outcome_.first_plan_s = outcome_.median_s;
}

}  // namespace gk::measure
