// SPDX-License-Identifier: Apache-2.0
// A block to a row: the row in dynamic shared memory, shuffles for its maximum and sum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "gk/reduce.cuh"
#include "tests/cuda/device.hpp"

namespace gk {
namespace {

using cuda_test::Buffer;

__device__ __forceinline__ void softmax_row(const float* x, float* y, int cols, float* row) {
  __shared__ float partials[kWarp];
  float max = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) max = fmaxf(max, row[i] = x[i]);
  max = block_max(max, partials);
  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) sum += row[i] = __expf(row[i] - max);
  sum = block_sum(sum, partials);
  for (int i = threadIdx.x; i < cols; i += blockDim.x) y[i] = row[i] / sum;
}

__global__ void softmax_kernel(const float* x, float* y, int cols) {
  extern __shared__ float row[];
  softmax_row(x + blockIdx.x * cols, y + blockIdx.x * cols, cols, row);
}

// The same, but nobody raises its limit of dynamic shared memory.
__global__ void limited_softmax_kernel(const float* x, float* y, int cols) {
  extern __shared__ float row[];
  softmax_row(x + blockIdx.x * cols, y + blockIdx.x * cols, cols, row);
}

std::vector<double> softmax(const float* x, int cols) {
  const double max = *std::max_element(x, x + cols);
  std::vector<double> y(cols);
  double sum = 0;
  for (int i = 0; i < cols; ++i) sum += y[i] = std::exp(x[i] - max);
  for (double& value : y) value /= sum;
  return y;
}

class CudaSoftmax : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(CudaSoftmax, EqualsTheHosts) {
  const auto [threads, cols] = GetParam();
  const int rows = 3, bytes = cols * static_cast<int>(sizeof(float));
  std::vector<float> x(rows * cols);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 1009) * 0.01F;
  const Buffer<float> from(x), to(x.size());
  check(cudaFuncSetAttribute(softmax_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  softmax_kernel<<<rows, threads, bytes>>>(from.data(), to.data(), cols);
  const auto y = to.get();
  for (int row = 0; row < rows; ++row) {
    const auto expected = softmax(x.data() + row * cols, cols);
    for (int i = 0; i < cols; ++i) {
      ASSERT_NEAR(y[row * cols + i], expected[i], 1e-5 * expected[i]) << row << " " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CudaShapes, CudaSoftmax,
                         testing::Combine(testing::Values(32, 128, 256, 1024),
                                          testing::Values(1, 100, 1000, 4096, 20000, 57000)));

TEST(CudaSharedMemory, MoreThan48KiBMustBeAskedFor) {
  constexpr int kCols = 12289;  // 4 bytes more than 48 KiB
  const Buffer<float> x(std::vector<float>(kCols, 1.0F)), y(std::vector<float>(kCols, 0.0F));
  limited_softmax_kernel<<<1, 128, kCols * sizeof(float)>>>(x.data(), y.data(), kCols);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  const int most = 12288 - kWarp;  // the partials are static
  for (const int cols : {1, 100, 384, 512, 513, most}) {
    limited_softmax_kernel<<<1, 128, cols * sizeof(float)>>>(x.data(), y.data(), cols);
    EXPECT_FLOAT_EQ(y.get()[cols - 1], 1.0F / cols) << cols;
  }
}

TEST(CudaSharedMemory, HasALimit) {
  EXPECT_EQ(cudaFuncSetAttribute(softmax_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 1024 * 1024),
            cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
}

TEST(CudaLaunch, RefusesABlockOf1025Threads) {
  const Buffer<float> x(std::vector<float>(32, 1.0F)), y(32);
  limited_softmax_kernel<<<1, 1025, 128>>>(x.data(), y.data(), 32);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
}

}  // namespace
}  // namespace gk
