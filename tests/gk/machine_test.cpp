// SPDX-License-Identifier: Apache-2.0
#include "gk/machine.hpp"

#include <gtest/gtest.h>

namespace gk {
namespace {

TEST(Machine, KnowsItsOwn) {
  const Machine& m = machine();
  EXPECT_GE(m.cores, 1);
  EXPECT_GT(m.memory_bytes, 1 << 20);
  ASSERT_FALSE(m.levels.empty());
  EXPECT_EQ(m.levels.back().name, "dram");
}

TEST(Machine, ALevelsPlateauFitsIntoIt) {
  for (const CacheLevel& level : machine().levels) {
    EXPECT_LE(level.plateau_bytes, level.capacity_bytes) << level.name;
  }
}

TEST(Isa, EachImpliesTheOnesBelow) {
  EXPECT_TRUE(!cpu_has(Isa::kAmxBf16) || cpu_has(Isa::kAvx512));
  EXPECT_TRUE(!cpu_has(Isa::kAvx512Bf16) || cpu_has(Isa::kAvx512));
  EXPECT_TRUE(!cpu_has(Isa::kAvx512) || cpu_has(Isa::kAvx2));
}

class LevelOf : public testing::Test {
 protected:
  std::string name(std::int64_t bytes) {
    const CacheLevel* level = level_of(machine_, bytes);
    return level == nullptr ? "" : level->name;
  }
  Machine machine_ = [] {
    Machine m{};
    m.levels = {{"l1", 48 << 10, 1}, {"l2", 2 << 20, 1}, {"dram", 1 << 30, 1}};
    return m;
  }();
};

TEST_F(LevelOf, IsTheOneThatSurelyHoldsTheWorkingSet) {
  EXPECT_EQ(name(1 << 10), "l1");
  EXPECT_EQ(name(24 << 10), "l1");
  EXPECT_EQ(name(96 << 10), "l2");
  EXPECT_EQ(name(1 << 20), "l2");
  EXPECT_EQ(name(6 << 20), "dram");
}

TEST_F(LevelOf, IsNoneBetweenTwo) {
  EXPECT_EQ(name(40 << 10), "");
  EXPECT_EQ(name(2 << 20), "");
  EXPECT_EQ(name(5 << 20), "");
}

}  // namespace
}  // namespace gk
