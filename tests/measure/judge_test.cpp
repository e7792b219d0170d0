// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/judge.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/fakes.hpp"

namespace gk::measure {
namespace {

// Two members sampled against each other on a machine whose speed drifts by a factor of ten.
TEST(PairedRatios, CancelTheDriftOfTheMachine) {
  fakes::Bench bench;
  double drift = 1;
  const auto takes = [&](double seconds) {
    return fakes::FakePlan{.seconds = 0, .spoil = [&drift, &bench, seconds](float*, int) {
                             bench.clock.now += seconds * drift;
                           }};
  };
  const Case slow = bench.make_case("onednn", {takes(3e-3)});
  const Case fast = bench.make_case("cpu_fused", {takes(2e-3)});
  OperandSets sets(slow, Cache::kWarm, bench.engine);
  SlotTruth truth(sets, bench.engine);
  Member a(slow, sets), b(fast, sets);
  for (Member* member : {&a, &b}) {
    member->attempt([&] { member->prepare(bench.engine, truth); });
  }
  for (int round = 0; round < 50; ++round) {
    drift = 1 + round * 0.2;
    a.sample(bench.engine);
    b.sample(bench.engine);
  }
  const std::vector<double> ratios = paired_ratios(a, b);
  EXPECT_EQ(ratios.size(), 50U);
  for (const double ratio : ratios) EXPECT_NEAR(ratio, 1.5, 1e-9);
}

}  // namespace
}  // namespace gk::measure
