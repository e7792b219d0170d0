// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/ceilings.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/fakes.hpp"

namespace gk::measure {
namespace {

using fakes::Bench;

class CeilingsTest : public testing::Test {
 protected:
  // A stream of the given mix that moves 128 MB in `seconds`.
  Case stream(std::int64_t reads, std::int64_t writes, double seconds) {
    Case ceiling = bench_.make_ceiling(seconds);
    ceiling.axes[0].value = reads;
    ceiling.axes[1].value = writes;
    ceiling.work.read_bytes =
        128e6 * static_cast<double>(reads) / static_cast<double>(reads + writes);
    ceiling.work.written_bytes = 128e6 - ceiling.work.read_bytes;
    return ceiling;
  }
  // A peak of 16 MFLOP in `seconds`.
  Case peak(Unit unit, double seconds) {
    Case ceiling = bench_.make_case("cpu_fused", {{.seconds = seconds}});
    ceiling.op = "ceiling_peak";
    ceiling.axes = {{"unit", std::string(name_of(unit))}};
    ceiling.work.unit = unit;
    return ceiling;
  }
  // A problem that reads and writes this many bytes and does this many FLOP.
  Case problem(double read, double written, double flops = 1) {
    Case one = bench_.make_case("cpu_fused", {{}});
    one.work = {
        .flops = flops, .read_bytes = read, .written_bytes = written, .unit = Unit::kVector};
    return one;
  }
  Bench bench_;
};

TEST_F(CeilingsTest, TakeTheStreamOfTheNearestMix) {
  Ceilings ceilings({stream(1, 0, 1e-3), stream(2, 1, 2e-3), stream(1, 1, 3e-3)}, bench_.engine);
  const auto reads_of = [&](double read, double written) {
    ceilings.prepare_for(problem(read, written), Cache::kCold, 128);
    return *integer(ceilings.stream()->problem().axes, "reads");
  };
  EXPECT_EQ(reads_of(1000, 1), 1);
  EXPECT_EQ(ceilings.stream()->problem().work.written_bytes, 0);
  EXPECT_EQ(reads_of(66, 33), 2);
  EXPECT_EQ(reads_of(50, 50), 1);
  EXPECT_EQ(ceilings.calibrated().size(), 3U);
}

TEST_F(CeilingsTest, OnACpuThePeakIsTheBestOfBothUnits) {
  Ceilings ceilings({peak(Unit::kVector, 2e-3), peak(Unit::kMatrix, 1e-3)}, bench_.engine);
  ceilings.prepare_for(problem(64, 64), Cache::kCold, 128);
  ASSERT_NE(ceilings.peak_value(), nullptr);
  EXPECT_NEAR(ceilings.peak_value()->per_s, 16e6 / 1e-3, 1);
}

TEST_F(CeilingsTest, InterleaveThePeakOnlyWhereComputeIsTheLowerRoof) {
  Ceilings ceilings({stream(1, 1, 1e-3), peak(Unit::kVector, 1e-3)}, bench_.engine);
  ceilings.prepare_for(problem(64, 64, 1), Cache::kCold, 128);
  EXPECT_EQ(ceilings.peak(), nullptr);
  ceilings.prepare_for(problem(64, 64, 1e6), Cache::kCold, 128);
  EXPECT_NE(ceilings.peak(), nullptr);
}

TEST_F(CeilingsTest, AreMeasuredOnceAndKept) {
  Ceilings ceilings({stream(1, 1, 1e-3)}, bench_.engine);
  ceilings.prepare_for(problem(64, 64), Cache::kCold, 128);
  const std::size_t events = bench_.log.size();
  ceilings.prepare_for(problem(64, 64), Cache::kCold, 128);
  EXPECT_EQ(bench_.log.size(), events);
}

TEST_F(CeilingsTest, GiveTheirMemoryBackWhenTheyStandAside) {
  Ceilings ceilings({stream(1, 1, 1e-3)}, bench_.engine);
  ceilings.prepare_for(problem(64, 64), Cache::kCold, 128);
  EXPECT_GT(bench_.memory.mark(), 0);
  ceilings.stand_aside("no room");
  EXPECT_EQ(bench_.memory.mark(), 0);
  EXPECT_EQ(ceilings.stream(), nullptr);
  EXPECT_EQ(ceilings.peak_value(), nullptr);
  EXPECT_EQ(ceilings.why_none(), "no room");
}

TEST_F(CeilingsTest, ThatAreNotToBeBelievedAreNoRoofs) {
  Ceilings ceilings({stream(1, 1, 1e-9)}, bench_.engine);  // 128 MB in a nanosecond
  ceilings.prepare_for(problem(64, 64), Cache::kCold, 128);
  EXPECT_EQ(ceilings.stream(), nullptr);
  EXPECT_NE(ceilings.why_none().find("not to be believed"), std::string::npos);
}

TEST_F(CeilingsTest, ThatCannotRunHereAreNone) {
  Case refuses = stream(1, 1, 1e-3);
  refuses.plans = []() -> std::vector<Plan> { throw Unsupported("not here"); };
  Ceilings ceilings({refuses}, bench_.engine);
  ceilings.prepare_for(problem(64, 64), Cache::kCold, 128);
  EXPECT_EQ(ceilings.stream(), nullptr);
  EXPECT_TRUE(ceilings.calibrated().empty());
}

}  // namespace
}  // namespace gk::measure
