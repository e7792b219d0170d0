// SPDX-License-Identifier: Apache-2.0
// Every registered implementation against the double-precision reference: every plan, both dtypes,
// ragged and round shapes. What an implementation cannot do must be a skip with a reason. Linked
// into gk_test for the CPU and into gk_test_cuda and gk_test_emulated for a GPU.
#include <gtest/gtest.h>

#include <map>

#include "gk/verify.hpp"
#include "tests/operands.hpp"

namespace gk {
namespace {

constexpr std::uint64_t kSeed = 11;

Shape shape(const std::map<std::string, std::int64_t>& integers, const std::string& epilogue = "") {
  Shape made;
  for (const auto& [name, value] : integers) made.push_back({name, value});
  if (!epilogue.empty()) made.push_back({"epilogue", epilogue});
  return made;
}

// Ones, a tile and its neighbours, primes, more than one panel and block.
Sweep test_sweep() {
  Sweep sweep;
  for (const std::string epilogue : {"none", "bias_gelu"}) {
    for (const auto& [n, k] : std::map<std::int64_t, std::int64_t>{
             {1, 1}, {2, 300}, {64, 64}, {63, 65}, {127, 129}, {257, 1021}, {640, 4096}}) {
      for (const std::int64_t batch : {1, 2, 4, 5, 7, 8, 17, 80}) {
        sweep.shapes.push_back(shape({{"n", n}, {"k", k}, {"batch", batch}}, epilogue));
      }
    }
  }
  for (const std::int64_t rows : {1, 3, 66}) {
    for (const std::int64_t cols : {1, 15, 64, 127, 129, 1021, 4096}) {
      sweep.shapes.push_back(shape({{"rows", rows}, {"cols", cols}}));
    }
  }
  // One row that ends within each of the four vectors of a thread of a CUDA block, f32 or bf16.
  for (const std::int64_t cols : {520, 1544, 2568, 3592, 5128, 7176}) {
    sweep.shapes.push_back(shape({{"rows", 1}, {"cols", cols}}));
  }
  return sweep;
}

std::vector<Case> all_cases() {
  const Device device{.kind = tested_device()};
  std::vector<Case> all = cases(test_sweep(), device);
  for (const std::vector<CacheLevel>& levels : tested_levels()) {
    Sweep ceilings;
    ceilings.preset = Preset::kFull;
    ceilings.levels = levels;
    for (Case& one : cases(ceilings, device)) {
      if (one.is_ceiling()) all.push_back(std::move(one));
    }
  }
  return all;
}

using OpAndImplementation = std::pair<std::string, std::string>;

std::map<OpAndImplementation, std::vector<Case>> grouped_cases() {
  std::map<OpAndImplementation, std::vector<Case>> groups;
  for (Case& one : all_cases()) groups[{one.op, one.implementation}].push_back(std::move(one));
  return groups;
}

void verify_plan(const Case& one, const Plan& plan, TestOperands& set, const Truth& truth) {
  SCOPED_TRACE(plan.detail);
  const Launch launch = plan.bind(set.device());
  for (const char* run : {"first run", "second run"}) {
    set.device().poison_outputs();
    set.run(launch);
    EXPECT_EQ(verify(one, set.host(), truth, plan.stores_intermediates).fault, "") << run;
  }
}

// Returns the reason where the implementation refuses.
std::string verify_case(const Case& one) {
  SCOPED_TRACE(one.problem());
  const auto set = make_operands(one, kSeed);
  const Truth truth = make_truth(one, set->host(), kSeed);
  try {
    for (const Plan& plan : one.plans()) verify_plan(one, plan, *set, truth);
  } catch (const Unsupported& reason) {
    EXPECT_STRNE(reason.what(), "");
    return reason.what();
  }
  return "";
}

class Correctness : public testing::TestWithParam<OpAndImplementation> {};

TEST_P(Correctness, EveryShapeEqualsTheReference) {
  std::size_t skipped = 0;
  std::string reason;
  const auto members = grouped_cases()[GetParam()];
  for (const Case& one : members) {
    const std::string refusal = verify_case(one);
    if (refusal.empty()) continue;
    ++skipped;
    reason = refusal;
  }
  RecordProperty("skipped", static_cast<int>(skipped));
  if (skipped == members.size()) GTEST_SKIP() << "cannot run here: " << reason;
}

std::vector<OpAndImplementation> registered() {
  std::vector<OpAndImplementation> names;
  for (const auto& [name, members] : grouped_cases()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Correctness, testing::ValuesIn(registered()), [](const auto& info) {
  return info.param.first + "_" + info.param.second;
});

}  // namespace
}  // namespace gk
