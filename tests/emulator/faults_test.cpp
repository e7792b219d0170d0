// SPDX-License-Identifier: Apache-2.0
// Every check of the emulator: the wrong kernel is found, at the right place, and its right twin is
// left alone, in every order of blocks and warps.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "emulator/control.hpp"
#include "tests/emulator/faulty_kernels.hpp"

namespace gk::emulator {
namespace {

constexpr std::size_t kElements = 1024;

// Zeroed device memory for the kernels to work on.
class Zeros {
 public:
  explicit Zeros(std::size_t elements = kElements) : bytes_(elements * sizeof(float)) {
    EXPECT_EQ(cudaMalloc(&data_, bytes_), cudaSuccess);
    EXPECT_EQ(cudaMemset(data_, 0, bytes_), cudaSuccess);
  }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  ~Zeros() { static_cast<void>(cudaFree(data_)); }
  float* floats() const { return static_cast<float*>(data_); }
  int* integers() const { return static_cast<int*>(data_); }
  unsigned* counter() const { return static_cast<unsigned*>(data_); }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

struct Check {
  const char* name;
  FaultKind kind;
  const char* detail;  // part of the sentence
  std::function<void(const Zeros& memory, bool wrong)> launch;
};

void sum_in_last_block(const Zeros& memory, faulty::Missing missing) {
  const Zeros counter(1);
  faulty::sum_in_last_block(memory.floats(), memory.floats() + 512, counter.counter(), missing);
}

// The right twin leaves nothing out.
Check without(const char* name, FaultKind kind, const char* detail, faulty::Missing missing) {
  return {name, kind, detail, [missing](const Zeros& memory, bool wrong) {
            sum_in_last_block(memory, wrong ? missing : faulty::kNothing);
          }};
}

// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<Check>& checks() {
  static const auto* const all = new std::vector<Check>{
      {"StorePastTheEnd", FaultKind::kOutOfBounds,
       "4 bytes past the end of a 4,000-byte allocation",
       [](const Zeros&, bool w) { faulty::store_past_end(Zeros(1000).floats(), 1000, w); }},
      {"MisalignedStore", FaultKind::kMisaligned, "misaligned store of 8 bytes",
       [](const Zeros& m, bool w) { faulty::store_misaligned(m.floats(), w); }},
      {"StorePastSharedMemory", FaultKind::kOutOfBounds, "shared memory that has 128",
       [](const Zeros& m, bool w) { faulty::store_to_shared_past_end(m.floats(), w); }},
      {"IndexPastLocalArray", FaultKind::kOutOfBounds, "local memory",
       [](const Zeros& m, bool w) { faulty::index_local_past_end(m.integers(), w ? 80 : 3); }},
      {"NullPointer", FaultKind::kOutOfBounds, "null pointer",
       [](const Zeros& m, bool w) { faulty::read_global(m.floats(), w ? nullptr : m.floats()); }},
      {"UnwrittenSharedMemory", FaultKind::kUninitialised, "never written",
       [](const Zeros& m, bool w) { faulty::read_unwritten_shared(m.floats(), w); }},
      {"RaceBetweenWarps", FaultKind::kRace, "shared memory: race",
       [](const Zeros& m, bool w) { faulty::exchange_between_warps(m.floats(), w); }},
      {"OverwrittenWhileRead", FaultKind::kRace, "shared memory: race",
       [](const Zeros& m, bool w) { faulty::overwrite_while_read(m.floats(), w); }},
      {"RaceWithinAWarp", FaultKind::kRace, "shared memory: race",
       [](const Zeros& m, bool w) { faulty::exchange_in_warp(m.floats(), w); }},
      {"RaceBetweenBlocks", FaultKind::kRace, "global memory: race",
       [](const Zeros& m, bool w) { faulty::write_from_all_blocks(m.floats(), w); }},
      without("FenceMissingBeforeAtomic", FaultKind::kRace, "global memory", faulty::kFenceBefore),
      without("FenceMissingAfterAtomic", FaultKind::kRace, "global memory", faulty::kFenceAfter),
      without("BarrierMissingBeforeAtomic", FaultKind::kRace, "global memory",
              faulty::kBarrierBefore),
      without("BarrierMissingAfterAtomic", FaultKind::kRace, "shared memory",
              faulty::kBarrierAfter),
      {"DivergentBarrier", FaultKind::kBarrier, "divergent barrier",
       [](const Zeros& m, bool w) { faulty::barrier_for_some(m.floats(), w); }},
      {"MismatchedBarriers", FaultKind::kBarrier, "mismatched barrier",
       [](const Zeros& m, bool w) { faulty::barriers_at_two_places(m.floats(), w); }},
      {"BarrierForMoreThanCome", FaultKind::kDeadlock, "never come",
       [](const Zeros& m, bool w) { faulty::named_barrier_for_more(m.floats(), w ? 96 : 64); }},
      {"BarrierForFewerThanCome", FaultKind::kBarrier, "not a multiple of the warp size",
       [](const Zeros& m, bool w) { faulty::named_barrier_for_more(m.floats(), w ? 40 : 64); }},
      {"ShuffleWithoutItself", FaultKind::kWarpSync, "not in its own member mask",
       [](const Zeros& m, bool w) { faulty::shuffle_without_self(m.integers(), w); }},
      {"ShuffleWithEndedLanes", FaultKind::kWarpSync, "have ended",
       [](const Zeros& m, bool w) { faulty::shuffle_after_exit(m.integers(), w); }},
      {"ShuffleOfDivergentLanes", FaultKind::kWarpSync, "never come to it",
       [](const Zeros& m, bool w) { faulty::shuffle_apart(m.integers(), w); }},
      {"ShuffleFromOutsideTheMask", FaultKind::kWarpSync, "lane 20",
       [](const Zeros& m, bool w) { faulty::shuffle_from_outside(m.integers(), w); }},
      {"LoopWithoutEnd", FaultKind::kDeadlock, "no end after 100,000 warp instructions",
       [](const Zeros&, bool w) { faulty::loop_without_end(Zeros(1).integers(), w); }},
      {"FenceMissingInAChain", FaultKind::kRace, "global memory: race",
       [](const Zeros& m, bool w) { faulty::chain(Zeros().integers(), m.integers(), w); }},
      {"WarpGroupThatNeverCompletes", FaultKind::kDeadlock, "no end after",
       [](const Zeros&, bool w) { faulty::groups(Zeros(1).integers(), w); }},
      {"Trap", FaultKind::kTrap, "trapped", [](const Zeros&, bool w) { faulty::trap(w); }}};
  return *all;
}

class Faults : public testing::TestWithParam<std::size_t> {
 protected:
  Faults() : before_(options()) { options().instruction_limit = 100'000; }
  ~Faults() override {
    options() = before_;
    reset();
  }
  const Check& check() const { return checks()[GetParam()]; }

 private:
  Options before_;
};

TEST_P(Faults, AreFoundAndTheRightTwinIsNot) {
  for (const Order order : {Order::kForward, Order::kReverse, Order::kRandom}) {
    options().order = order;
    {
      const Zeros memory;
      check().launch(memory, false);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << last_fault()->what();
      check().launch(memory, true);
    }
    ASSERT_NE(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_TRUE(last_fault().has_value());
    EXPECT_EQ(last_fault()->kind, check().kind) << last_fault()->what();
    EXPECT_PRED_FORMAT2(testing::IsSubstring, check().detail, std::string(last_fault()->what()));
    EXPECT_PRED_FORMAT2(testing::IsSubstring,
                        "faulty_kernels.cu:", std::string(last_fault()->what()));
    reset();
  }
}

INSTANTIATE_TEST_SUITE_P(Emulator, Faults, testing::Range<std::size_t>(0, checks().size()),
                         [](const auto& info) { return checks()[info.param].name; });

TEST(Fault, NamesKernelBlockThreadAndSourceLine) {
  {
    const Zeros memory(1000);
    faulty::store_past_end(memory.floats(), 1000, true);
  }
  ASSERT_TRUE(last_fault().has_value());
  const Place& place = last_fault()->place;
  EXPECT_EQ(place.block, (std::array<std::uint32_t, 3>{7, 0, 0}));
  EXPECT_EQ(place.thread, (std::array<std::uint32_t, 3>{104, 0, 0}));
  EXPECT_EQ(place.source, "faulty_kernels.cu:9");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "store_past_end_kernel(float*, int)",
                      std::string(last_fault()->what()));
  reset();
}

TEST(Fault, StaysUntilReset) {
  {
    const Zeros memory;
    faulty::trap(true);
    EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_NE(cudaMemset(memory.floats(), 0, 4), cudaSuccess) << "as on a GPU";
  }
  reset();
  const Zeros memory;
  EXPECT_EQ(cudaMemset(memory.floats(), 0, 4), cudaSuccess);
}

TEST(Fault, UseAfterFreeNamesTheFreedAllocation) {
  float* gone = nullptr;
  {
    const Zeros memory;
    gone = memory.floats();
  }
  {
    const Zeros out;
    faulty::read_global(out.floats(), gone);
  }
  ASSERT_TRUE(last_fault().has_value());
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "freed", std::string(last_fault()->what()));
  reset();
}

TEST(Fault, ReadOfUnwrittenGlobalMemoryIsFound) {
  void* unwritten = nullptr;
  ASSERT_EQ(cudaMalloc(&unwritten, 128), cudaSuccess);
  {
    const Zeros out;
    faulty::read_global(out.floats(), static_cast<float*>(unwritten));
  }
  ASSERT_TRUE(last_fault().has_value());
  EXPECT_EQ(last_fault()->kind, FaultKind::kUninitialised);
  reset();
}

}  // namespace
}  // namespace gk::emulator
