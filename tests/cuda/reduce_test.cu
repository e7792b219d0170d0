// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "gk/reduce.cuh"
#include "tests/cuda/device.hpp"

namespace gk {
namespace {

using cuda_test::Buffer;

// Two reductions in a row through the same partials, as a softmax does.
__global__ void block_kernel(const float* x, float* sum, float* max) {
  __shared__ float partials[kWarp];
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  max[at] = block_max(x[at], partials);
  sum[at] = block_sum(x[at], partials);
}

// Small integers: every sum is exact in any order.
std::vector<float> numbers(std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<float>(i * 7919 % 203) - 101;
  return made;
}

class CudaBlockReduce : public testing::TestWithParam<int> {};

TEST_P(CudaBlockReduce, GivesEveryThreadTheResult) {
  const int threads = GetParam(), blocks = 5;
  const std::vector<float> x = numbers(threads * blocks);
  const Buffer<float> from(x), sum(x.size()), max(x.size());
  block_kernel<<<blocks, threads>>>(from.data(), sum.data(), max.data());
  const auto sums = sum.get(), maxima = max.get();
  for (int block = 0; block < blocks; ++block) {
    const auto first = x.begin() + block * threads;
    for (int i = block * threads; i < (block + 1) * threads; ++i) {
      ASSERT_EQ(sums[i], std::accumulate(first, first + threads, 0.0F)) << i;
      ASSERT_EQ(maxima[i], *std::max_element(first, first + threads)) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CudaThreads, CudaBlockReduce,
                         testing::Values(32, 64, 96, 128, 256, 480, 1024));

template <int kLanes>
__global__ void lanes_kernel(const float* x, float* sum, float* max) {
  sum[threadIdx.x] = warp_sum<kLanes>(x[threadIdx.x]);
  max[threadIdx.x] = warp_max<kLanes>(x[threadIdx.x]);
}

template <int kLanes>
void expect_lanes() {
  const std::vector<float> x = numbers(kWarp);
  const Buffer<float> from(x), sum(kWarp), max(kWarp);
  lanes_kernel<kLanes><<<1, kWarp>>>(from.data(), sum.data(), max.data());
  const auto sums = sum.get(), maxima = max.get();
  for (int i = 0; i < kWarp; ++i) {
    const auto first = x.begin() + i / kLanes * kLanes;
    EXPECT_EQ(sums[i], std::accumulate(first, first + kLanes, 0.0F)) << kLanes << " " << i;
    EXPECT_EQ(maxima[i], *std::max_element(first, first + kLanes)) << kLanes << " " << i;
  }
}

TEST(CudaWarpReduce, WorksInGroupsOfLanes) {
  expect_lanes<2>();
  expect_lanes<8>();
  expect_lanes<16>();
  expect_lanes<32>();
}

}  // namespace
}  // namespace gk
