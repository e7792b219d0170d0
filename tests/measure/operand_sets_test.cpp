// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/operand_sets.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/fakes.hpp"

namespace gk::measure {
namespace {

TEST(OperandSets, DifferInTheirInputs) {
  fakes::Bench bench;
  const Case one = bench.make_case("cpu_fused", {{}});
  OperandSets sets(one, Cache::kCold, bench.engine);
  const Tensor first = sets[0].input("x", DType::kF32, 1, 16);
  const Tensor second = sets[1].input("x", DType::kF32, 1, 16);
  EXPECT_NE(element(first, 0, 0), element(second, 0, 0));
}

TEST(OperandSets, AdvanceThroughAllSlotsAndWrap) {
  fakes::Bench bench;
  const Case one = bench.make_case("cpu_fused", {{}});
  OperandSets sets(one, Cache::kCold, bench.engine);
  for (std::size_t i = 0; i < sets.count(); ++i) EXPECT_EQ(sets.advance(), i);
  EXPECT_EQ(sets.advance(), 0U);
}

TEST(OperandSets, ForgetScratchThatCameAfterTheMark) {
  fakes::Bench bench;
  const Case one = bench.make_case("cpu_fused", {{}});
  OperandSets sets(one, Cache::kWarm, bench.engine);
  const auto mark = sets.mark();
  const std::int64_t before = bench.memory.mark();
  sets[0].scratch(100);
  EXPECT_EQ(bench.memory.mark(), before + 1);
  sets.release_to(mark);
  EXPECT_EQ(bench.memory.mark(), before);
  sets[0].scratch(100);  // made anew, not a dangling piece
  EXPECT_EQ(bench.memory.mark(), before + 1);
}

TEST(OperandSets, CountTheirBytesWithoutMakingThem) {
  fakes::Bench bench;
  EXPECT_EQ(bytes_of_one_set(bench.make_case("cpu_fused", {{}})), 128);
  EXPECT_EQ(bench.memory.mark(), 0);
}

}  // namespace
}  // namespace gk::measure
