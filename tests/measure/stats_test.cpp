// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/stats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace gk::measure {
namespace {

TEST(Stats, QuantileInterpolatesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.1), 1.4);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

TEST(Stats, OneOutlierDoesNotMoveTheMedian) { EXPECT_DOUBLE_EQ(median({1, 1, 1, 1, 1e9}), 1); }

TEST(Stats, FewerThanSixValuesHaveNoInterval) {
  EXPECT_TRUE(std::isinf(relative_precision({1, 1, 1, 1, 1})));
  EXPECT_DOUBLE_EQ(relative_precision({1, 1, 1, 1, 1, 1}), 0);
}

// The interval is made of order statistics, so its coverage holds for any distribution.
TEST(Stats, TheMedianIntervalCoversTheTrueMedianInAboutNineteenOfTwentyTrials) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> skewed(0, 1);  // its true median is 1
  int covered = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> values(31);
    for (double& value : values) value = skewed(random);
    const Interval interval = median_interval(values);
    covered += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, 2000 * 0.93);
  EXPECT_LE(covered, 2000 * 0.995);
}

}  // namespace
}  // namespace gk::measure
