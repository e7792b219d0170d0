// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/block.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/fakes/fakes.hpp"

namespace gk::measure {
namespace {

using fakes::Bench;

std::vector<Outcome> measure_cases(Bench& bench, const std::vector<Case>& cases,
                                   const std::vector<Case>& ceilings = {},
                                   Cache cache = Cache::kCold) {
  Ceilings roofs(ceilings, bench.engine);
  return measure_block(cases, cache, bench.engine, roofs);
}

Outcome only(Bench& bench, const fakes::FakePlan& plan) {
  return measure_cases(bench, {bench.make_case("cpu_fused", {plan})}).front();
}

TEST(Block, GoesFromPlansOverVerificationToTimingAndVerifiesAgain) {
  Bench bench;
  only(bench, {});
  std::vector<std::string> order;
  for (const std::string& event : bench.log) {
    if (order.empty() || order.back() != event) order.push_back(event);
  }
  order.erase(order.begin(), std::ranges::find(order, "plans"));  // before: the sets are made
  const std::vector<std::string> start = {"plans", "bind plain", "poison", "time", "launch plain"};
  ASSERT_GT(order.size(), start.size() + 3);
  EXPECT_TRUE(std::equal(start.begin(), start.end(), order.begin()));
  // The last poisoning comes after all other timing, and is followed by one timed sample only.
  const auto last_poison = std::find(bench.log.rbegin(), bench.log.rend(), "poison");
  EXPECT_EQ(std::count(bench.log.rbegin(), last_poison, "time"), 1);
  EXPECT_EQ(std::count(std::ranges::find(bench.log, "plans"), bench.log.end(), "poison"), 2);
}

TEST(Block, InterleavesItsMembers) {
  Bench bench;
  const auto outcomes = measure_cases(bench, {bench.make_case("onednn", {{.detail = "a"}}),
                                              bench.make_case("cpu_fused", {{.detail = "b"}})});
  ASSERT_TRUE(outcomes[0].measured() && outcomes[1].measured());
  std::string launches;
  for (const std::string& event : bench.log) {
    if (event.starts_with("launch")) launches += event.back();
  }
  EXPECT_NE(launches.find("abbaabbaabba"), std::string::npos) << launches;
}

TEST(Block, TakesTheMedianOfItsSamples) {
  Bench bench;
  const Outcome outcome = only(bench, {.seconds = 2e-3});
  EXPECT_NEAR(outcome.median_s, 2e-3, 1e-12);
  EXPECT_EQ(outcome.stop_reason, "precision");
  EXPECT_EQ(outcome.calls,
            static_cast<std::int64_t>(outcome.samples_s.size()) * outcome.calls_per_sample);
}

TEST(Block, StopsWhenTheBudgetIsSpent) {
  Bench bench;
  bench.engine.settings.budget_s = 1;
  int call = 0;  // times alternate by a factor of three: precision is never reached
  const Case noisy = bench.make_case(
      "cpu_fused",
      {{.seconds = 0, .spoil = [&](float*, int) { bench.clock.now += ++call % 2 ? 0.02 : 0.06; }}});
  const Outcome outcome = measure_cases(bench, {noisy}).front();
  EXPECT_EQ(outcome.stop_reason, "budget");
  EXPECT_GE(outcome.samples_s.size(), 20U);
  EXPECT_LE(outcome.samples_s.size(), 30U);
}

TEST(Block, KeepsNoMoreThanTheMostSamples) {
  Bench bench;
  bench.engine.settings = {.budget_s = 1, .precision = -1, .max_rounds = 50};
  int call = 0;  // slow while the calls per sample are chosen, so that they stay few, then fast
  const Case hasty = bench.make_case("cpu_fused", {{.seconds = 0, .spoil = [&](float*, int) {
                                                      bench.clock.now += ++call < 60 ? 0.01 : 1e-5;
                                                    }}});
  const Outcome outcome = measure_cases(bench, {hasty}).front();
  EXPECT_EQ(outcome.samples_s.size(), 50U);
  EXPECT_EQ(outcome.stop_reason, "samples");
}

TEST(Block, BatchesShortCallsUntilTheClockCanTell) {
  Bench bench;
  const Outcome outcome = only(bench, {.seconds = 1e-8});
  // 1,000 resolutions of 1 ns, or the budget over the most samples: 0.1 s / 200.
  EXPECT_GE(outcome.calls_per_sample * 1e-8, 5e-4);
  EXPECT_NEAR(outcome.median_s, 1e-8, 1e-14);
}

TEST(Block, RefusesACallThatTakesNoTime) {
  Bench bench;
  const Outcome outcome = only(bench, {.seconds = 0});
  EXPECT_EQ(outcome.status, Status::kError);
  EXPECT_NE(outcome.message.find("too short to time"), std::string::npos);
  EXPECT_TRUE(outcome.samples_s.empty());
}

TEST(Block, GivesAWrongCaseNoTimeAndGoesOn) {
  Bench bench;
  const auto outcomes = measure_cases(
      bench, {bench.make_case("onednn", {{.spoil = [](float* y, int) { y[3] += 1; }}}),
              bench.make_case("cpu_fused", {{}})});
  EXPECT_EQ(outcomes[0].status, Status::kWrong);
  EXPECT_NE(outcomes[0].message.find("[0, 3]"), std::string::npos) << outcomes[0].message;
  EXPECT_TRUE(outcomes[0].samples_s.empty());
  EXPECT_TRUE(outcomes[1].measured());
  EXPECT_EQ(outcomes[1].best_vendor, "");
}

TEST(Block, CountsNaNAsWrong) {
  Bench bench;
  const Outcome outcome = only(
      bench, {.spoil = [](float* y, int) { y[15] = std::numeric_limits<float>::quiet_NaN(); }});
  EXPECT_EQ(outcome.status, Status::kWrong);
}

TEST(Block, CatchesACaseThatBreaksOnlyOnItsSecondRun) {
  Bench bench;
  const Outcome outcome = only(bench, {.spoil = [](float* y, int call) {
                                 if (call > 1) y[0] = 7;
                               }});
  EXPECT_EQ(outcome.status, Status::kWrong);
}

TEST(Block, CatchesACaseThatWritesOverItsInput) {
  Bench bench;
  Case bad = bench.make_case("cpu_fused", {});
  bad.plans = [&bench] {
    return std::vector<Plan>{{"in place", [&bench](Arena& arena) -> Launch {
                                const Tensor x = arena.input("x", DType::kF32, 1, 16);
                                const Tensor y = arena.output("y", DType::kF32, 1, 16);
                                return [x, y, &bench](Stream) {
                                  std::copy_n(x.as<float>(), 16, y.as<float>());
                                  x.as<float>()[8] = 42;
                                  bench.clock.now += 1e-3;
                                };
                              }}};
  };
  const Outcome outcome = measure_cases(bench, {bad}).front();
  EXPECT_EQ(outcome.status, Status::kWrong);
}

TEST(Block, TurnsExceptionsIntoRows) {
  Bench bench;
  Case throws = bench.make_case("cpu_fused", {});
  throws.plans = []() -> std::vector<Plan> { throw std::runtime_error("no such kernel"); };
  int calls = 0;
  Case throws_late = bench.make_case("onednn", {{.spoil = [&calls](float*, int) {
                                       if (++calls > 3) throw 42;
                                     }}});
  Case refuses = bench.make_case("openblas", {});
  refuses.plans = []() -> std::vector<Plan> { throw Unsupported("not on this CPU"); };
  const auto outcomes = measure_cases(bench, {throws, throws_late, refuses});
  EXPECT_EQ(outcomes[0].status, Status::kError);
  EXPECT_EQ(outcomes[0].message, "no such kernel");
  EXPECT_EQ(outcomes[1].status, Status::kError);
  EXPECT_EQ(outcomes[2].status, Status::kSkipped);
  EXPECT_EQ(outcomes[2].message, "not on this CPU");
}

TEST(Block, KeepsTheFastestOfSeveralPlans) {
  Bench bench;
  const Case one = bench.make_case("onednn", {{.seconds = 3e-3, .detail = "slow"},
                                              {.seconds = 1e-3, .detail = "fast"},
                                              {.seconds = 2e-3, .detail = "middle"}});
  const Outcome outcome = measure_cases(bench, {one}).front();
  EXPECT_EQ(outcome.plan, "fast");
  EXPECT_EQ(outcome.plans_tried, 3);
  EXPECT_NEAR(outcome.first_plan_s, 3e-3, 1e-12);
  EXPECT_NEAR(outcome.median_s, 1e-3, 1e-12);
}

TEST(Block, RotatesColdSetsPastThreeTimesTheCache) {
  Bench bench;  // one set has 128 bytes, the cache 1024
  const Outcome outcome = only(bench, {});
  EXPECT_EQ(outcome.sets, 24);
  ASSERT_TRUE(outcome.cold_factor);
  EXPECT_GE(*outcome.cold_factor, kColdFactor);
}

TEST(Block, KeepsOneSetWarm) {
  Bench bench;
  const Outcome outcome =
      measure_cases(bench, {bench.make_case("cpu_fused", {{}})}, {}, Cache::kWarm).front();
  EXPECT_EQ(outcome.sets, 1);
  EXPECT_FALSE(outcome.cold_factor);
}

TEST(Block, SkipsWhatCannotBeMadeCold) {
  Bench bench;
  bench.machine.llc_bytes = 1 << 26;  // more than the fake memory
  const Outcome outcome = only(bench, {});
  EXPECT_EQ(outcome.status, Status::kSkipped);
  EXPECT_NE(outcome.message.find("cannot be made cold in"), std::string::npos) << outcome.message;
}

TEST(Block, IsNotCalledColdWhereTheCachesAreUnknown) {
  Bench bench;
  bench.machine.llc_bytes = 0;
  const Outcome outcome = only(bench, {});
  EXPECT_EQ(outcome.status, Status::kSkipped);
  EXPECT_NE(outcome.message.find("does not tell its cache sizes"), std::string::npos);
}

TEST(Block, FillsEveryCacheThatItsThreadsMaySpreadOver) {
  Bench bench;  // three threads over caches that two CPUs share: two caches
  bench.machine.llc_sharing = 2;
  bench.engine.settings.threads = 3;
  EXPECT_EQ(only(bench, {}).sets, 48);
}

TEST(Block, MeasuresWithoutARoofWhereBothDoNotFit) {
  Bench bench;  // 24 sets of 128 bytes each for the operands and for the ceiling
  fakes::FakeMemory small(bench.log, 4000);
  Engine engine{.memory = small,
                .clock = bench.clock,
                .machine = bench.machine,
                .settings = bench.engine.settings,
                .phases = bench.phases,
                .watchdog = bench.watchdog};
  Ceilings roofs({bench.make_ceiling(1e-3)}, engine);
  const std::vector<Case> cases = {bench.make_case("cpu_fused", {{}})};
  const Outcome outcome = measure_block(cases, Cache::kCold, engine, roofs).front();
  EXPECT_TRUE(outcome.measured()) << outcome.message;
  EXPECT_NE(outcome.roof.percent_reason.find("no room"), std::string::npos)
      << outcome.roof.percent_reason;
}

TEST(Block, SkipsAShapeThatExceedsMemoryAndSaysHowMuchItNeeds) {
  Bench bench;
  Case big = bench.make_case("cpu_fused", {{}});
  big.operands = [](Arena& arena) { arena.input("x", DType::kF32, 1 << 20, 1 << 20); };
  const Outcome outcome = measure_cases(bench, {big}).front();
  EXPECT_EQ(outcome.status, Status::kSkipped);
  EXPECT_NE(outcome.message.find("needs 4398.05 GB"), std::string::npos) << outcome.message;
}

TEST(Block, ReturnsAllMemory) {
  Bench bench;
  only(bench, {});
  EXPECT_EQ(bench.memory.mark(), 0);
}

TEST(Block, ComparesWithTheBestVendor) {
  Bench bench;
  const auto outcomes =
      measure_cases(bench, {bench.make_case("onednn", {{.seconds = 4e-3}}),
                            bench.make_case("onednn_unfused", {{.seconds = 3e-3}}),
                            bench.make_case("cpu_fused", {{.seconds = 2e-3}})});
  EXPECT_EQ(outcomes[2].best_vendor, "onednn_unfused");
  EXPECT_NEAR(*outcomes[2].speedup, 1.5, 1e-9);
  EXPECT_NEAR(*outcomes[1].speedup, 1.0, 1e-9);
  EXPECT_NEAR(*outcomes[0].speedup, 0.75, 1e-9);
}

TEST(Block, KeepsDisturbedSamplesOnlyWhereMostAreDisturbed) {
  Bench few;
  few.clock.disturb_every = 10;
  const Outcome some = only(few, {});
  EXPECT_GT(some.samples_dropped, 0);
  Bench all;
  all.clock.disturb_every = 1;
  const Outcome none = only(all, {});
  EXPECT_EQ(none.samples_dropped, 0);
  EXPECT_FALSE(none.samples_s.empty());
}

TEST(Block, RunsEachCaseOnceForAProfiler) {
  Bench bench;
  const std::vector<Case> cases = {bench.make_case("cpu_fused", {{}})};
  const auto outcomes = profile_block(cases, Cache::kCold, bench.engine);
  EXPECT_TRUE(outcomes.front().measured());
  EXPECT_EQ(std::count(bench.log.begin(), bench.log.end(), "launch plain"), 2);  // verify, profile
}

TEST(Roof, IsTheInterleavedStreamOfTheSameBlock) {
  Bench bench;
  const auto outcomes = measure_cases(bench, {bench.make_case("cpu_fused", {{.seconds = 2e-3}})},
                                      {bench.make_ceiling(1e-3)});
  const Roof& roof = outcomes.front().roof;
  EXPECT_EQ(roof.level, "dram");
  ASSERT_TRUE(roof.percent) << roof.percent_reason;
  EXPECT_NEAR(*roof.percent, 50, 1e-6);
  EXPECT_NEAR(*roof.bytes_per_s, 128e6 / 1e-3, 1);
  EXPECT_TRUE(outcomes.front().suspect.empty());
}

TEST(Roof, MakesARowAboveItSuspect) {
  Bench bench;
  const auto outcomes = measure_cases(bench, {bench.make_case("cpu_fused", {{.seconds = 0.9e-3}})},
                                      {bench.make_ceiling(1e-3)});
  EXPECT_NE(outcomes.front().suspect.find("111.1 %"), std::string::npos)
      << outcomes.front().suspect;
}

TEST(Roof, GivesNoPercentBetweenTwoLevelsAndSaysSo) {
  Bench bench;  // a set of 128 bytes lies on l1's plateau; of 200 bytes between l1 and l2
  bench.machine.levels[0].capacity_bytes = 200;
  const auto outcomes = measure_cases(bench, {bench.make_case("cpu_fused", {{}})},
                                      {bench.make_ceiling(1e-3)}, Cache::kWarm);
  EXPECT_FALSE(outcomes.front().roof.percent);
  EXPECT_NE(outcomes.front().roof.percent_reason.find("between two cache levels"),
            std::string::npos);
}

}  // namespace
}  // namespace gk::measure
