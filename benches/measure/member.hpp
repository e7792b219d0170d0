// SPDX-License-Identifier: Apache-2.0
// One contender of a block: a case, bound to the block's operand sets, with its samples.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "benches/measure/operand_sets.hpp"
#include "benches/measure/outcome.hpp"
#include "gk/verify.hpp"

namespace gk::measure {

// The truth of one slot, computed when first needed and shared by all members.
class SlotTruth {
 public:
  SlotTruth(OperandSets& sets, Engine& engine) : sets_(&sets), engine_(&engine) {}
  const Truth& of(const Case& problem, std::size_t slot);

 private:
  OperandSets* sets_;
  Engine* engine_;
  std::size_t slot_ = 0;
  std::optional<Truth> truth_;
};

class Member {
 public:
  Member(const Case& problem, OperandSets& sets) : problem_(&problem), sets_(&sets) {}

  const Case& problem() const { return *problem_; }
  Outcome& outcome() { return outcome_; }
  bool alive() const { return outcome_.measured(); }
  // One normalised sample (of one call) per round, in step with the other contenders'.
  const std::vector<Sample>& rounds() const { return rounds_; }
  // Samples during which the process was switched out are dropped; on a machine that does so to
  // more than half of them, dropping would be choosing, and all are kept.
  bool usable(std::size_t round) const { return keeps_disturbed() || !rounds_[round].disturbed; }

  // Runs `step`; whatever it throws becomes this member's status and message.
  void attempt(const std::function<void()>& step);

  // Makes the plans, binds and verifies them, and keeps the fastest.
  void prepare(Engine& engine, SlotTruth& truth);
  // Runs until the clocks and caches have settled, and chooses the calls per sample.
  void warm_up(Engine& engine);
  // Takes one sample over the next slots and appends it to rounds().
  void sample(Engine& engine);
  // One more sample of the same kind, ending on `slot` with its outputs poisoned before: what
  // timing left behind must still be right.
  void verify_after(Engine& engine, SlotTruth& truth, std::size_t slot);
  void forget_rounds() {
    rounds_.clear();
    disturbed_ = 0;
  }
  // Turns rounds() into the outcome's samples and median.
  void summarise(const Settings& settings, std::string_view stop_reason);

 private:
  struct Best {
    const Plan* plan = nullptr;
    double seconds = 0;
    std::vector<Launch> launches;  // empty when their memory had to be given back
  };
  void bind(const Plan& plan, Engine& engine);
  void bind_with_room(const Plan& plan, Engine& engine, const OperandSets::Mark& mark, Best& best);
  void use(const Plan& plan);
  void choose(std::span<const Plan> plans, Engine& engine, SlotTruth& truth);
  void check(Engine& engine, SlotTruth& truth, std::size_t slot, std::span<const Launch> calls);
  double quick_median_s(Engine& engine);
  void settle_calls(Engine& engine, double target_s);
  std::span<const Launch> next_calls(int count);
  bool keeps_disturbed() const { return 2 * disturbed_ > rounds_.size(); }

  const Case* problem_;
  OperandSets* sets_;
  Outcome outcome_;
  bool stores_intermediates_ = false;  // of the bound plan
  std::vector<Launch> launches_;       // one per slot
  std::vector<Launch> batch_;
  std::vector<Sample> rounds_;
  std::size_t disturbed_ = 0;  // of rounds_
};

}  // namespace gk::measure
