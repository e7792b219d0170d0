// SPDX-License-Identifier: Apache-2.0
// Ways to run a launch that no GPU has: other PTX of the same file, several host threads.
#include <gtest/gtest.h>

#include <string>

#include "emulator/control.hpp"
#include "gk/verify.hpp"
#include "tests/operands.hpp"

namespace gk::emulator {
namespace {

constexpr std::uint64_t kSeed = 5;

class Launches : public testing::Test {
 protected:
  ~Launches() override { options() = before_; }

  // All CUDA cases of a ragged and of a round shape, first plan each.
  static void verify_all() {
    Sweep sweep;
    sweep.shapes = {{{"rows", std::int64_t{7}}, {"cols", std::int64_t{1021}}},
                    {{"rows", std::int64_t{64}}, {"cols", std::int64_t{1024}}}};
    std::size_t verified = 0;
    for (const Case& one : cases(sweep, {.kind = DeviceKind::kCuda})) {
      SCOPED_TRACE(one.name(Cache::kCold));
      const Plan plan = one.plans().front();
      const auto set = make_operands(one, kSeed);
      const Truth truth = make_truth(one, set->host(), kSeed);
      set->device().poison_outputs();
      set->run(plan.bind(set->device()));
      EXPECT_EQ(verify(one, set->host(), truth, plan.stores_intermediates).fault, "");
      ++verified;
    }
    EXPECT_GT(verified, 0U);
  }

 private:
  Options before_ = options();
};

TEST_F(Launches, RunThePtxOfOlderDevicesToo) {
  options().arch = 80;
  verify_all();
}

TEST_F(Launches, GiveTheSameOnSeveralHostThreads) {
  options().races = options().uninitialised = false;
  options().host_threads = 3;
  verify_all();
}

TEST_F(Launches, ThatWereNotCheckedCountAsWritten) {
  options().races = options().uninitialised = false;
  Sweep sweep;
  sweep.shapes = {{{"rows", std::int64_t{1}}, {"cols", std::int64_t{64}}}};
  const Case one = cases(sweep, {.kind = DeviceKind::kCuda}).front();
  const auto set = make_operands(one, kSeed);
  set->run(one.plans().front().bind(set->device()));
  options().uninitialised = true;
  EXPECT_NO_THROW(set->run(one.plans().front().bind(set->device())));
  EXPECT_FALSE(last_fault().has_value());
}

TEST_F(Launches, AreCountedByInstruction) {
  const Executed before = executed();
  verify_all();
  const Executed after = executed();
  EXPECT_GT(after.launches, before.launches);
  const std::uint64_t warps = after.warp_instructions - before.warp_instructions;
  const std::uint64_t threads = after.thread_instructions - before.thread_instructions;
  EXPECT_GT(threads, warps);
  EXPECT_LE(threads, 32 * warps);
}

}  // namespace
}  // namespace gk::emulator
