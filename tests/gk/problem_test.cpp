// SPDX-License-Identifier: Apache-2.0
#include "gk/problem.hpp"

#include <gtest/gtest.h>

namespace gk {
namespace {

TEST(Axis, IsANameAndAnIntegerOrAWord) {
  EXPECT_EQ((Axis{"batch", std::int64_t{8}}.text()), "batch:8");
  EXPECT_EQ((Axis{"epilogue", std::string("none")}.text()), "epilogue:none");
}

TEST(Work, IntensityIsFlopsOverCompulsoryBytes) {
  const Work work{.flops = 300, .read_bytes = 80, .written_bytes = 20, .unit = Unit::kMatrix};
  EXPECT_DOUBLE_EQ(work.bytes(), 100);
  EXPECT_DOUBLE_EQ(work.intensity(), 3);
}

}  // namespace
}  // namespace gk
