// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/phases.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace gk::measure {
namespace {

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

TEST(Phases, AddUpToTheTotal) {
  Phases phases;
  phases.in(Phase::kTime, nap);
  EXPECT_EQ(phases.in(Phase::kVerify, [] { return 7; }), 7);
  nap();
  EXPECT_GE(phases.seconds(Phase::kTime), 0.005);
  EXPECT_GE(phases.own(), 0.005);  // the nap that no phase claims
  EXPECT_GE(phases.total(), phases.seconds(Phase::kTime) + phases.own() - 1e-3);
}

TEST(Phases, CountWorkThatThrows) {
  Phases phases;
  EXPECT_THROW(phases.in(Phase::kPrepare,
                         []() -> void {
                           nap();
                           throw std::runtime_error("x");
                         }),
               std::runtime_error);
  EXPECT_GE(phases.seconds(Phase::kPrepare), 0.005);
}

}  // namespace
}  // namespace gk::measure
