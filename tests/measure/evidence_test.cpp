// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/evidence.hpp"

#include <gtest/gtest.h>

namespace gk::measure {
namespace {

TEST(Evidence, ADriftOfTheClockBeyondThreePercentIsThrottling) {
  EXPECT_EQ(throttling({3000, 2950, 0}), "");
  EXPECT_NE(throttling({3000, 2700, 0}).find("-10.0 %"), std::string::npos);
}

TEST(Evidence, ASystemThatDoesNotTellIsNotAccused) { EXPECT_EQ(throttling({}), ""); }

}  // namespace
}  // namespace gk::measure
