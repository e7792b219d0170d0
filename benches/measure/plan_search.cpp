// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/plan_search.hpp"

#include <algorithm>
#include <limits>

#include "benches/measure/stats.hpp"

namespace gk::measure {
namespace {

constexpr int kRaceRounds = 15;
constexpr int kFewestRounds = 5;  // even when the budget is spent

// One plan's repacked weights can be gigabytes. Plans race side by side while they fit; when
// memory runs out, those bound so far race among themselves and give their memory back.
class Search {
 public:
  Search(OperandSets& sets, Engine& engine)
      : sets_(sets),
        engine_(engine),
        mark_(sets.mark()),
        last_mark_(mark_),
        available_at_start_(sets.available_bytes()) {}

  void add(const Plan& plan, const std::function<void(BoundPlan&)>& check) {
    if (!bind(plan)) {
      race();
      racers_.clear();
      sets_.release_to(mark_);
      bind(plan);
    }
    try {
      check(racers_.back());
    } catch (...) {
      racers_.pop_back();
      sets_.release_to(last_mark_);
      throw;
    }
    ++tried_;
  }

  PlanChoice finish() {
    if (tried_ > 1) race();
    const std::size_t place = tried_ > 1 ? best_place_ : 0;
    const std::int64_t taken = available_at_start_ - sets_.available_bytes();
    const bool crowded = racers_.size() > 1 && sets_.available_bytes() < taken;
    if (place < racers_.size() && !crowded) return {std::move(racers_[place]), tried_, first_s_};
    sets_.release_to(mark_);  // leave the other members their room
    racers_.clear();
    return {BoundPlan(best_, sets_, engine_), tried_, first_s_};
  }

  int tried() const { return tried_; }

 private:
  // False when there is no room beside the other racers. What a failed plan took is given back.
  bool bind(const Plan& plan) {
    last_mark_ = sets_.mark();
    try {
      racers_.emplace_back(plan, sets_, engine_);
      return true;
    } catch (const OutOfMemory&) {
      sets_.release_to(last_mark_);
      if (racers_.empty()) throw;
      return false;
    } catch (...) {
      sets_.release_to(last_mark_);
      throw;
    }
  }

  void race() {
    std::vector<std::vector<double>> seconds(racers_.size());
    engine_.phases.in(Phase::kWarmUp, [&] {
      const double budget_s = engine_.settings.budget_s * static_cast<double>(racers_.size());
      for (BoundPlan& racer : racers_) racer.settle(kResolutions * engine_.clock.resolution_s());
      const double end_s = engine_.clock.now_s() + budget_s;
      for (int round = 0; round < kRaceRounds; ++round) {
        if (round >= kFewestRounds && engine_.clock.now_s() >= end_s) break;
        for (std::size_t i = 0; i < racers_.size(); ++i) {
          seconds[i].push_back(racers_[i].sample().seconds);
        }
      }
    });
    best_place_ = std::numeric_limits<std::size_t>::max();  // unless one of these wins
    for (std::size_t i = 0; i < racers_.size(); ++i) {
      const double median_s = median(seconds[i]);
      if (first_s_ == 0) first_s_ = median_s;
      if (median_s >= best_s_) continue;
      best_s_ = median_s;
      best_ = racers_[i].plan();
      best_place_ = i;
    }
  }

  OperandSets& sets_;
  Engine& engine_;
  OperandSets::Mark mark_, last_mark_;
  std::int64_t available_at_start_;
  std::vector<BoundPlan> racers_;
  int tried_ = 0;
  double first_s_ = 0;
  double best_s_ = std::numeric_limits<double>::infinity();
  Plan best_;
  std::size_t best_place_ = 0;  // in racers_, while it is still there
};

}  // namespace

PlanChoice choose_plan(std::span<const Plan> plans, OperandSets& sets, Engine& engine,
                       const std::function<void(BoundPlan&)>& check) {
  Search search(sets, engine);
  std::string refusals;
  const auto refuse = [&](const char* why) {
    refusals += (refusals.empty() ? "" : "; ") + std::string(why);
  };
  for (const Plan& plan : plans) {
    if (!engine.settings.race_plans && search.tried() > 0) break;
    try {
      search.add(plan, check);
    } catch (const Unsupported& reason) {
      refuse(reason.what());
    } catch (const OutOfMemory& reason) {
      refuse(reason.what());
    }
  }
  if (search.tried() == 0) throw Unsupported(refusals);
  return search.finish();
}

}  // namespace gk::measure
