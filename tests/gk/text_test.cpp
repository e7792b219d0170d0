// SPDX-License-Identifier: Apache-2.0
#include "gk/text.hpp"

#include <gtest/gtest.h>

namespace gk {
namespace {

TEST(Text, QuantitiesCarryTheirUnit) {
  EXPECT_EQ(gigabytes(1'440'000'000), "1.44 GB");
  EXPECT_EQ(gigabytes(33'600'000), "33.6 MB");
  EXPECT_EQ(fixed(0.05, 1), "0.1");
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), std::vector<std::string>{""});
}

TEST(Text, JoinIsTheInverse) { EXPECT_EQ(join(split("a,b,c", ','), ","), "a,b,c"); }

}  // namespace
}  // namespace gk
