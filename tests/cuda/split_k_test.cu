// SPDX-License-Identifier: Apache-2.0
// Sums split over blocks. Each leaves a partial sum in memory; the block that arrives last adds
// them up in a fixed order, so that the result does not depend on which one it is.
#include <gtest/gtest.h>

#include <numeric>

#include "gk/reduce.cuh"
#include "tests/cuda/device.hpp"

namespace gk {
namespace {

using cuda_test::Buffer;

constexpr int kThreads = 128;

// Grid: splits x rows. `arrived` is 0 for each row before the launch, and after it.
__global__ void split_sum_kernel(const float* x, float* partial, unsigned* arrived, float* y,
                                 int cols) {
  __shared__ float sums[kWarp];
  __shared__ bool is_last;
  const unsigned splits = gridDim.x, split = blockIdx.x, row = blockIdx.y;
  float sum = 0;
  for (unsigned i = split * kThreads + threadIdx.x; i < cols; i += splits * kThreads) {
    sum += x[row * cols + i];
  }
  sum = block_sum(sum, sums);
  if (threadIdx.x == 0) {
    partial[row * splits + split] = sum;
    __threadfence();  // the partial sum is visible before the arrival is
    is_last = atomicAdd(&arrived[row], 1U) == splits - 1;
    __threadfence();  // and the others' are seen after it
  }
  __syncthreads();
  if (!is_last) return;
  float total = 0;
  for (unsigned i = threadIdx.x; i < splits; i += kThreads) {
    total += __ldcg(&partial[row * splits + i]);
  }
  total = block_sum(total, sums);
  if (threadIdx.x == 0) {
    y[row] = total;
    arrived[row] = 0;
  }
}

class CudaSplitSum : public testing::TestWithParam<int> {};

TEST_P(CudaSplitSum, IsTheSameInEveryRun) {
  const int splits = GetParam(), rows = 3, cols = 5000;
  std::vector<float> x(rows * cols);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.001F * static_cast<float>(i * 7919 % 2003);
  const Buffer<float> from(x), partial(rows * splits), y(rows);
  const Buffer<unsigned> arrived(std::vector<unsigned>(rows, 0));
  std::vector<float> first;
  for (int run = 0; run < 3; ++run) {
    y.fill_bytes(0xff);
    partial.fill_bytes(0xff);
    split_sum_kernel<<<dim3(splits, rows), kThreads>>>(from.data(), partial.data(), arrived.data(),
                                                       y.data(), cols);
    const auto sums = y.get();
    if (run == 0) first = sums;
    EXPECT_EQ(sums, first) << "run " << run;
  }
  EXPECT_EQ(arrived.get(), std::vector<unsigned>(rows, 0));
  for (int row = 0; row < rows; ++row) {
    const double sum = std::accumulate(x.begin() + row * cols, x.begin() + (row + 1) * cols, 0.0);
    EXPECT_NEAR(first[row], sum, 1e-6 * sum) << row;
  }
}

INSTANTIATE_TEST_SUITE_P(CudaSplits, CudaSplitSum, testing::Values(1, 2, 7, 16, 150));

}  // namespace
}  // namespace gk
