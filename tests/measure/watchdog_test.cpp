// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/watchdog.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace gk::measure {
namespace {

using namespace std::chrono_literals;

TEST(Watchdog, BitesWhatTakesTooLong) {
  std::atomic<bool> bitten = false;
  Watchdog dog([&] { bitten = true; });
  dog.guard(0.05, [&] {
    const auto end = std::chrono::steady_clock::now() + 10s;  // far above the glance
    while (!bitten && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  });
  EXPECT_TRUE(bitten);
}

TEST(Watchdog, LeavesAloneWhatReturnsInTime) {
  std::atomic<bool> bitten = false;
  Watchdog dog([&] { bitten = true; });
  EXPECT_EQ(dog.guard(60, [] { return 3; }), 3);
  std::this_thread::sleep_for(300ms);  // three glances
  EXPECT_FALSE(bitten);
}

TEST(Watchdog, LetsGoWhenTheWorkThrows) {
  std::atomic<bool> bitten = false;
  Watchdog dog([&] { bitten = true; });
  EXPECT_THROW(dog.guard(0.05, []() -> void { throw std::runtime_error("x"); }),
               std::runtime_error);
  std::this_thread::sleep_for(300ms);
  EXPECT_FALSE(bitten);
}

}  // namespace
}  // namespace gk::measure
