// SPDX-License-Identifier: Apache-2.0
// One contender of a block: a case, bound to the block's operand sets, with its samples.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "benches/measure/bound_plan.hpp"
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
  void forget_rounds();
  // Turns rounds() into the outcome's samples and median.
  void summarise(std::string_view stop_reason);

 private:
  void check(BoundPlan& plan, Engine& engine, SlotTruth& truth, std::size_t slot);
  bool keeps_disturbed() const { return 2 * disturbed_ > rounds_.size(); }

  const Case* problem_;
  OperandSets* sets_;
  Outcome outcome_;
  std::optional<BoundPlan> plan_;
  std::vector<Sample> rounds_;
  std::size_t disturbed_ = 0;  // of rounds_
};

}  // namespace gk::measure
