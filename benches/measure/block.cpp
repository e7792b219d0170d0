// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/block.hpp"

#include <algorithm>

#include "benches/measure/evidence.hpp"
#include "benches/measure/judge.hpp"
#include "benches/measure/sampling.hpp"
#include "gk/text.hpp"

namespace gk::measure {
namespace {

std::vector<Outcome> outcomes_of(std::vector<Member>& members) {
  std::vector<Outcome> outcomes;
  for (Member& member : members) outcomes.push_back(std::move(member.outcome()));
  return outcomes;
}

// The same outcome for every member: what concerns the operand sets concerns all.
std::vector<Outcome> all_of(std::size_t count, Status status, const std::string& why) {
  Outcome outcome;
  outcome.status = status;
  outcome.message = why;
  return std::vector(count, outcome);
}

// Calls `work` with the block's operand sets, or says why there are none.
template <class F>
std::vector<Outcome> with_sets(std::span<const Case> block, Cache cache, Engine& engine, F work) {
  const Release release{engine.memory};
  std::optional<OperandSets> sets;
  engine.running(block.front());
  try {
    sets.emplace(block.front(), cache, engine);
  } catch (const Unsupported& reason) {
    return all_of(block.size(), Status::kSkipped, reason.what());
  } catch (const OutOfMemory& reason) {
    return all_of(block.size(), Status::kSkipped, reason.what());
  } catch (const std::exception& error) {
    return all_of(block.size(), Status::kError, error.what());
  }
  std::vector<Member> members;
  for (const Case& problem : block) members.emplace_back(problem, *sets);
  SlotTruth truth(*sets, engine);
  for (Member& member : members) {
    member.attempt([&] { member.prepare(engine, truth); });
  }
  work(members, *sets, truth);
  return outcomes_of(members);
}

std::vector<Member*> contenders(std::vector<Member>& members, Ceilings& ceilings) {
  std::vector<Member*> all;
  for (Member& member : members) {
    if (member.alive()) all.push_back(&member);
  }
  for (Member* roof : {ceilings.stream(), ceilings.peak()}) {
    if (!all.empty() && roof != nullptr && roof->alive()) all.push_back(roof);
  }
  return all;
}

void time_members(std::vector<Member>& members, Engine& engine, Ceilings& ceilings) {
  for (Member& member : members) {
    member.attempt([&] { member.warm_up(engine); });
  }
  const std::vector<Member*> all = contenders(members, ceilings);
  if (all.empty()) return;
  const EvidenceWatch watch;
  const double budget_s = engine.settings.budget_s * static_cast<double>(all.size());
  const std::string_view reason = sample_rounds(all, engine, budget_s);
  const Evidence evidence = watch.so_far();
  for (Member& member : members) {
    if (!member.alive()) continue;
    member.summarise(reason);
    member.outcome().evidence = evidence;
    member.outcome().throttled = throttling(evidence);
  }
}

// The block's operands come before its roof: where both do not fit, there is no percentage.
void prepare_roofs(const Case& problem, Cache cache, Engine& engine, Ceilings& ceilings) {
  if (problem.is_ceiling()) return ceilings.stand_aside("is itself a ceiling");
  try {
    const std::int64_t needed = bytes_of_rotation(problem, cache, engine);
    ceilings.prepare_for(problem, cache, bytes_of_one_set(problem));
    if (needed > engine.memory.available_bytes()) {
      ceilings.stand_aside("the operands leave no room for a ceiling's");
    }
  } catch (const Unsupported& reason) {  // the block will be skipped for it
    ceilings.stand_aside(reason.what());
  }
}

}  // namespace

std::vector<Outcome> measure_block(std::span<const Case> block, Cache cache, Engine& engine,
                                   Ceilings& ceilings) {
  const bool is_ceiling = block.front().is_ceiling();
  prepare_roofs(block.front(), cache, engine, ceilings);
  return with_sets(block, cache, engine, [&](auto& members, OperandSets& sets, SlotTruth& truth) {
    time_members(members, engine, ceilings);
    const std::size_t last = (sets.advance() + sets.count() - 1) % sets.count();
    for (Member& member : members) {
      member.attempt([&] { member.verify_after(engine, truth, last); });
    }
    compare_with_vendors(members);
    for (Member& member : members) {
      if (member.alive() && !is_ceiling) judge_by_roofs(member, ceilings);
      if (member.alive() && is_ceiling) judge_ceiling(member, engine.settings.threads);
    }
  });
}

std::vector<Outcome> profile_block(std::span<const Case> block, Cache cache, Engine& engine) {
  return with_sets(block, cache, engine, [&](auto& members, OperandSets&, SlotTruth&) {
    for (Member& member : members) {
      member.attempt([&] { member.sample(engine); });
    }
  });
}

}  // namespace gk::measure
