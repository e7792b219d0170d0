// SPDX-License-Identifier: Apache-2.0
#include "gk/tensor.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gk {
namespace {

class ArenaTest : public testing::Test {
 protected:
  HostMemory memory_{1 << 20};
  Scratch scratch_{memory_};
  Arena arena_{memory_, scratch_, 9};
};

TEST_F(ArenaTest, MakesATensorOnceAndThenFindsIt) {
  const Tensor first = arena_.input("x", DType::kF32, 2, 3);
  EXPECT_EQ(arena_.input("x", DType::kF32, 2, 3).data, first.data);
  EXPECT_NE(arena_.input("w", DType::kF32, 2, 3).data, first.data);
  EXPECT_EQ(arena_.operand_bytes(), 48);
}

TEST_F(ArenaTest, TensorsOfOneSetDiffer) {
  const Tensor x = arena_.input("x", DType::kF32, 1, 8);
  const Tensor w = arena_.input("w", DType::kF32, 1, 8);
  EXPECT_NE(element(x, 0, 0), element(w, 0, 0));
}

TEST_F(ArenaTest, EqualSeedsMakeEqualInputs) {
  Arena twin(memory_, scratch_, 9);
  EXPECT_EQ(element(arena_.input("x", DType::kBf16, 2, 4), 1, 3),
            element(twin.input("x", DType::kBf16, 2, 4), 1, 3));
}

TEST_F(ArenaTest, PoisonsOutputsOnly) {
  const Tensor x = arena_.input("x", DType::kF32, 1, 2);
  const Tensor y = arena_.output("y", DType::kF32, 1, 2);
  arena_.poison_outputs();
  EXPECT_TRUE(std::isnan(element(y, 0, 1)));
  EXPECT_FALSE(std::isnan(element(x, 0, 1)));
  ASSERT_EQ(arena_.outputs().size(), 1U);
  EXPECT_EQ(arena_.outputs()[0].data, y.data);
}

TEST_F(ArenaTest, NoticesAnInputThatWasWrittenOver) {
  const Tensor x = arena_.input("x", DType::kBf16, 3, 5, 0.25F);
  EXPECT_TRUE(arena_.inputs_intact());
  x.as<Bf16>()[14] = to_bf16(9.0F);
  EXPECT_FALSE(arena_.inputs_intact());
}

TEST_F(ArenaTest, LooksAtBothEndsOfALongInput) {
  const Tensor x = arena_.input("x", DType::kF32, 1, 6000);
  x.as<float>()[5999] = 9.0F;
  EXPECT_FALSE(arena_.inputs_intact());
}

TEST_F(ArenaTest, SetsShareTheirScratch) {
  Arena other(memory_, scratch_, 10);
  const void* first = arena_.scratch(64);
  EXPECT_EQ(other.scratch(32), first);
  EXPECT_NE(arena_.packed(64), arena_.packed(64));
}

}  // namespace
}  // namespace gk
