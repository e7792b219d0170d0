// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp tell each other: votes, matches, shuffles, integer reductions.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gk/reduce.cuh"
#include "tests/cuda/device.hpp"

namespace gk {
namespace {

using cuda_test::Buffer;

constexpr unsigned kAll = 0xffffffffU;

struct Votes {
  unsigned ballot, any, all, same, all_same_mask;
  int all_same;
};

__global__ void vote_kernel(const int* x, Votes* votes) {
  const int value = x[threadIdx.x];
  Votes& mine = votes[threadIdx.x];
  mine.ballot = __ballot_sync(kAll, value % 3 == 0);
  mine.any = __any_sync(kAll, value % 3 == 0);
  mine.all = __all_sync(kAll, value % 3 == 0);
  mine.same = __match_any_sync(kAll, value);
  mine.all_same_mask = __match_all_sync(kAll, value, &mine.all_same);
}

void expect_votes(const std::vector<int>& x) {
  const Buffer<int> from(x);
  const Buffer<Votes> to(kWarp);
  vote_kernel<<<1, kWarp>>>(from.data(), to.data());
  unsigned thirds = 0;
  for (int lane = 0; lane < kWarp; ++lane) thirds |= (x[lane] % 3 == 0 ? 1U : 0U) << lane;
  const bool alike = std::set<int>(x.begin(), x.end()).size() == 1;
  const auto votes = to.get();
  for (int lane = 0; lane < kWarp; ++lane) {
    unsigned same = 0;
    for (int other = 0; other < kWarp; ++other) same |= (x[other] == x[lane] ? 1U : 0U) << other;
    EXPECT_EQ(votes[lane].ballot, thirds);
    EXPECT_EQ(votes[lane].any != 0, thirds != 0);
    EXPECT_EQ(votes[lane].all != 0, thirds == kAll);
    EXPECT_EQ(votes[lane].same, same);
    EXPECT_EQ(votes[lane].all_same != 0, alike);
    EXPECT_EQ(votes[lane].all_same_mask, alike ? kAll : 0U);
  }
}

TEST(CudaVote, CountsTheLanes) {
  std::vector<int> mixed(kWarp);
  for (int lane = 0; lane < kWarp; ++lane) mixed[lane] = lane * lane % 7;
  expect_votes(mixed);
  expect_votes(std::vector<int>(kWarp, 3));
  expect_votes(std::vector<int>(kWarp, 4));
}

// Odd and even lanes vote apart, each among themselves.
__global__ void divergent_kernel(unsigned* odd_or_even, int* neighbour) {
  const int lane = threadIdx.x;
  if (lane % 2 == 1) {
    odd_or_even[lane] = __ballot_sync(0xaaaaaaaaU, lane > 9);
    neighbour[lane] = __shfl_sync(0xaaaaaaaaU, 10 * lane, (lane + 2) % kWarp);
  } else {
    odd_or_even[lane] = __ballot_sync(0x55555555U, lane > 8);
    neighbour[lane] = __shfl_sync(0x55555555U, 100 * lane, (lane + 2) % kWarp);
  }
}

TEST(CudaVote, WorksInHalvesOfADivergedWarp) {
  const Buffer<unsigned> votes(kWarp);
  const Buffer<int> neighbour(kWarp);
  divergent_kernel<<<1, kWarp>>>(votes.data(), neighbour.data());
  const auto found = votes.get();
  const auto neighbours = neighbour.get();
  for (int lane = 0; lane < kWarp; ++lane) {
    const unsigned above_9 = kAll << 10;
    EXPECT_EQ(found[lane], above_9 & (lane % 2 == 1 ? 0xaaaaaaaaU : 0x55555555U));
    EXPECT_EQ(neighbours[lane], (lane + 2) % kWarp * (lane % 2 == 1 ? 10 : 100));
  }
}

struct Shuffled {
  int up, down, across, from_5, narrow_up, narrow_down;
};

__global__ void shuffle_kernel(Shuffled* to) {
  const int lane = threadIdx.x;
  to[lane] = {__shfl_up_sync(kAll, lane, 3),    __shfl_down_sync(kAll, lane, 3),
              __shfl_xor_sync(kAll, lane, 9),   __shfl_sync(kAll, lane, 5),
              __shfl_up_sync(kAll, lane, 1, 8), __shfl_down_sync(kAll, lane, 1, 8)};
}

TEST(CudaShuffle, MovesValuesBetweenLanes) {
  const Buffer<Shuffled> to(kWarp);
  shuffle_kernel<<<1, kWarp>>>(to.data());
  const auto found = to.get();
  for (int lane = 0; lane < kWarp; ++lane) {
    EXPECT_EQ(found[lane].up, lane < 3 ? lane : lane - 3);
    EXPECT_EQ(found[lane].down, lane > 28 ? lane : lane + 3);
    EXPECT_EQ(found[lane].across, lane ^ 9);
    EXPECT_EQ(found[lane].from_5, 5);
    EXPECT_EQ(found[lane].narrow_up, lane % 8 == 0 ? lane : lane - 1);
    EXPECT_EQ(found[lane].narrow_down, lane % 8 == 7 ? lane : lane + 1);
  }
}

struct Reduced {
  unsigned sum, min, max, both, either;
};

__global__ void integer_kernel(const unsigned* x, Reduced* to) {
  const unsigned value = x[threadIdx.x];
  to[threadIdx.x] = {__reduce_add_sync(kAll, value), __reduce_min_sync(kAll, value),
                     __reduce_max_sync(kAll, value), __reduce_and_sync(kAll, value),
                     __reduce_or_sync(kAll, value)};
}

TEST(CudaWarpReduce, HasInstructionsForIntegers) {
  std::vector<unsigned> x(kWarp);
  Reduced expected{0, kAll, 0, kAll, 0};
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    const unsigned value = x[lane] = 0x40000001U + lane * 0x02345678U;
    expected = {expected.sum + value, std::min(expected.min, value), std::max(expected.max, value),
                expected.both & value, expected.either | value};
  }
  const Buffer<unsigned> from(x);
  const Buffer<Reduced> to(kWarp);
  integer_kernel<<<1, kWarp>>>(from.data(), to.data());
  for (const Reduced& found : to.get()) {
    EXPECT_EQ(found.sum, expected.sum);
    EXPECT_EQ(found.min, expected.min);
    EXPECT_EQ(found.max, expected.max);
    EXPECT_EQ(found.both, expected.both);
    EXPECT_EQ(found.either, expected.either);
  }
}

}  // namespace
}  // namespace gk
