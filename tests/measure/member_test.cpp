// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/member.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/fakes.hpp"

namespace gk::measure {
namespace {

using fakes::Bench;

// Copies x to y after packing `bytes` per set, and checks that the packed bytes are still its own.
Plan packing_plan(Bench& bench, std::int64_t bytes, char mark, double seconds) {
  return {std::string(1, mark), [=, &bench](Arena& arena) -> Launch {
            const Tensor x = arena.input("x", DType::kF32, 1, 16);
            const Tensor y = arena.output("y", DType::kF32, 1, 16);
            auto* packed = static_cast<char*>(arena.packed(bytes));
            std::fill_n(packed, bytes, mark);
            return [=, &bench](Stream) {
              const bool intact =
                  std::all_of(packed, packed + bytes, [=](char byte) { return byte == mark; });
              std::copy_n(x.as<float>(), intact ? 16 : 0, y.as<float>());
              bench.clock.now += seconds;
            };
          }};
}

TEST(Member, BindsTheBestPlanAgainWhereTwoDoNotFit) {
  Bench bench;
  Case one = bench.make_case("onednn", {});
  one.plans = [&] {
    return std::vector<Plan>{packing_plan(bench, 1000, 'a', 1e-3),
                             packing_plan(bench, 1000, 'b', 2e-3)};
  };
  fakes::FakeMemory small(bench.log, 40'000);  // 24 sets of 128 bytes, and one plan's 24,000
  Engine engine{.memory = small,
                .clock = bench.clock,
                .machine = bench.machine,
                .settings = bench.engine.settings,
                .phases = bench.phases,
                .watchdog = bench.watchdog};
  OperandSets sets(one, Cache::kCold, engine);
  SlotTruth truth(sets, engine);
  Member member(one, sets);
  member.attempt([&] { member.prepare(engine, truth); });
  member.attempt([&] { member.verify_after(engine, truth, 3); });
  ASSERT_TRUE(member.alive()) << member.outcome().message;
  EXPECT_EQ(member.outcome().plan, "a");
  EXPECT_EQ(member.outcome().plans_tried, 2);
}

TEST(Member, LeavesOutAPlanThatRefusesAndSaysWhyWhenAllDo) {
  Bench bench;
  const auto refusing = [](const char* why) {
    return Plan{"refuses", [why](Arena&) -> Launch { throw Unsupported(why); }};
  };
  Case some = bench.make_case("onednn", {});
  some.plans = [&] {
    return std::vector<Plan>{refusing("no tiles"), packing_plan(bench, 8, 'p', 1e-3)};
  };
  Case none = bench.make_case("onednn", {});
  none.plans = [&] { return std::vector<Plan>{refusing("no tiles"), refusing("no dots")}; };
  OperandSets sets(some, Cache::kWarm, bench.engine);
  SlotTruth truth(sets, bench.engine);
  Member first(some, sets), second(none, sets);
  first.attempt([&] { first.prepare(bench.engine, truth); });
  second.attempt([&] { second.prepare(bench.engine, truth); });
  EXPECT_TRUE(first.alive());
  EXPECT_EQ(second.outcome().status, Status::kSkipped);
  EXPECT_EQ(second.outcome().message, "no tiles; no dots");
}

TEST(Member, APlanThatRefusesOnlyWhenItRunsIsLeftOut) {
  Bench bench;
  Case one = bench.make_case("onednn", {});
  one.plans = [&] {
    return std::vector<Plan>{
        {"refuses late",
         [](Arena&) -> Launch { return [](Stream) { throw Unsupported("no tiles after all"); }; }},
        packing_plan(bench, 8, 'p', 1e-3)};
  };
  OperandSets sets(one, Cache::kCold, bench.engine);
  SlotTruth truth(sets, bench.engine);
  Member member(one, sets);
  member.attempt([&] { member.prepare(bench.engine, truth); });
  ASSERT_TRUE(member.alive()) << member.outcome().message;
  EXPECT_EQ(member.outcome().plan, "p");
}

TEST(Member, APlanThatFitsNowhereIsLeftOut) {
  Bench bench;
  Case one = bench.make_case("onednn", {});
  one.plans = [&] {
    return std::vector<Plan>{packing_plan(bench, 8, 'p', 1e-3),
                             packing_plan(bench, 1 << 23, 'q', 1e-4)};
  };
  OperandSets sets(one, Cache::kCold, bench.engine);
  SlotTruth truth(sets, bench.engine);
  Member member(one, sets);
  member.attempt([&] { member.prepare(bench.engine, truth); });
  ASSERT_TRUE(member.alive()) << member.outcome().message;
  EXPECT_EQ(member.outcome().plan, "p");
}

TEST(Member, AWrongPlanMakesTheCaseWrongEvenIfAnotherIsRight) {
  Bench bench;
  const Case one = bench.make_case(
      "onednn", {{}, {.spoil = [](float* y, int) { y[1] += 1; }, .detail = "broken"}});
  OperandSets sets(one, Cache::kWarm, bench.engine);
  SlotTruth truth(sets, bench.engine);
  Member member(one, sets);
  member.attempt([&] { member.prepare(bench.engine, truth); });
  EXPECT_EQ(member.outcome().status, Status::kWrong);
}

}  // namespace
}  // namespace gk::measure
