// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/cpu_clock.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace gk::measure {
namespace {

TEST(CpuClock, RunsEveryCallAndTimesThemTogether) {
  CpuClock clock;
  int runs = 0;
  const std::vector<Launch> calls(3, [&](Stream) {
    ++runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
  const Sample sample = clock.time(calls);
  EXPECT_EQ(runs, 3);
  EXPECT_GE(sample.seconds, 6e-3);                // sleeping never returns early
  EXPECT_LT(sample.cpu_seconds, sample.seconds);  // and costs no CPU time
}

TEST(CpuClock, ItsResolutionIsPositive) {
  EXPECT_GT(CpuClock().resolution_s(), 0);
  EXPECT_LT(CpuClock().resolution_s(), 1e-3);
}

}  // namespace
}  // namespace gk::measure
