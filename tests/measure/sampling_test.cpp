// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/sampling.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/fakes.hpp"

namespace gk::measure {
namespace {

TEST(Sampling, AContenderThatThrowsDropsOutAndTheOthersGoOn) {
  fakes::Bench bench;
  int calls = 0;
  const Case dies = bench.make_case("onednn", {{.spoil = [&](float*, int) {
                                      if (++calls > 4) throw std::runtime_error("lost");
                                    }}});
  const Case lives = bench.make_case("cpu_fused", {{}});
  OperandSets sets(lives, Cache::kWarm, bench.engine);
  SlotTruth truth(sets, bench.engine);
  Member a(dies, sets), b(lives, sets);
  for (Member* member : {&a, &b}) {
    member->attempt([&] { member->prepare(bench.engine, truth); });
  }
  Member* both[] = {&a, &b};
  sample_rounds(both, bench.engine, 1);
  EXPECT_EQ(a.outcome().status, Status::kError);
  EXPECT_EQ(a.outcome().message, "lost");
  EXPECT_GE(b.rounds().size(), bench.engine.settings.min_rounds);
}

TEST(Sampling, StopsWhenNobodyIsLeft) {
  fakes::Bench bench;
  const Case dies = bench.make_case("onednn", {{.spoil = [](float*, int call) {
                                      if (call > 1) throw std::runtime_error("lost");
                                    }}});
  OperandSets sets(dies, Cache::kWarm, bench.engine);
  SlotTruth truth(sets, bench.engine);
  Member alone(dies, sets);
  alone.attempt([&] { alone.prepare(bench.engine, truth); });
  Member* all[] = {&alone};
  sample_rounds(all, bench.engine, 1e9);
  EXPECT_FALSE(alone.alive());
}

TEST(Sampling, TakesTheFewestRoundsEvenOverBudget) {
  fakes::Bench bench;
  const Case slow = bench.make_case("cpu_fused", {{.seconds = 10}});
  OperandSets sets(slow, Cache::kWarm, bench.engine);
  SlotTruth truth(sets, bench.engine);
  Member alone(slow, sets);
  alone.attempt([&] { alone.prepare(bench.engine, truth); });
  Member* all[] = {&alone};
  EXPECT_EQ(sample_rounds(all, bench.engine, 0.1), "budget");
  EXPECT_EQ(alone.rounds().size(), bench.engine.settings.min_rounds);
}

}  // namespace
}  // namespace gk::measure
