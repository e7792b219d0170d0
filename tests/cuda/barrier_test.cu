// SPDX-License-Identifier: Apache-2.0
// Threads of one block handing work to each other through shared memory.
#include <gtest/gtest.h>

#include <tuple>

#include "gk/reduce.cuh"
#include "tests/cuda/device.hpp"

namespace gk {
namespace {

using cuda_test::Buffer;

// Named barriers; 0 is __syncthreads().
template <int kBarrier>
__device__ __forceinline__ void barrier_sync(int threads) {
  asm volatile("bar.sync %0, %1;" ::"n"(kBarrier), "r"(threads) : "memory");
}
template <int kBarrier>
__device__ __forceinline__ void barrier_arrive(int threads) {
  asm volatile("bar.arrive %0, %1;" ::"n"(kBarrier), "r"(threads) : "memory");
}

constexpr int kFull = 1, kEmpty = 2;

// The first two warps produce, the other two consume; one slot of shared memory between them.
__global__ void hand_over_kernel(const int* from, int* to, int steps) {
  __shared__ int slot[2 * kWarp];
  const int lane = threadIdx.x % (2 * kWarp);
  if (threadIdx.x < 2 * kWarp) {
    for (int step = 0; step < steps; ++step) {
      barrier_sync<kEmpty>(4 * kWarp);
      slot[lane] = from[step * 2 * kWarp + lane] * 3;
      barrier_arrive<kFull>(4 * kWarp);
    }
  } else {
    for (int step = 0; step < steps; ++step) {
      barrier_arrive<kEmpty>(4 * kWarp);
      barrier_sync<kFull>(4 * kWarp);
      to[step * 2 * kWarp + lane] = slot[2 * kWarp - 1 - lane];
    }
  }
}

class CudaHandOver : public testing::TestWithParam<int> {};

TEST_P(CudaHandOver, GivesWhatWasProducedToTheConsumers) {
  const int steps = GetParam(), width = 2 * kWarp;
  std::vector<int> values(steps * width);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 31 % 1009);
  const Buffer<int> from(values), to(values.size());
  hand_over_kernel<<<1, 4 * kWarp>>>(from.data(), to.data(), steps);
  const auto found = to.get();
  for (int step = 0; step < steps; ++step) {
    for (int lane = 0; lane < width; ++lane) {
      EXPECT_EQ(found[step * width + lane], 3 * values[step * width + width - 1 - lane]);
    }
  }
}

// One, and around the multiples of four by which the compiler unrolls.
INSTANTIATE_TEST_SUITE_P(CudaSteps, CudaHandOver, testing::Values(1, 3, 4, 5, 9));

// Hillis and Steele's prefix sum: each step reads what other lanes wrote in the last.
__global__ void warp_scan_kernel(const int* from, int* to) {
  __shared__ int shared[4][kWarp];
  int* mine = shared[threadIdx.x / kWarp];
  const int lane = threadIdx.x % kWarp;
  mine[lane] = from[threadIdx.x];
  __syncwarp();
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const int sum = mine[lane] + (lane >= distance ? mine[lane - distance] : 0);
    __syncwarp();
    mine[lane] = sum;
    __syncwarp();
  }
  to[threadIdx.x] = mine[lane];
}

TEST(CudaBarrier, OrdersTheLanesOfAWarp) {
  std::vector<int> values(4 * kWarp);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 17 % 23);
  const Buffer<int> from(values), to(values.size());
  warp_scan_kernel<<<1, 4 * kWarp>>>(from.data(), to.data());
  const auto found = to.get();
  int sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum = i % kWarp == 0 ? values[i] : sum + values[i];
    EXPECT_EQ(found[i], sum) << i;
  }
}

constexpr int kTile = 32, kTileRows = 8;

// A column of padding, so that reading a column of the tile meets no bank twice.
__global__ void transpose_kernel(const float* from, float* to, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const int col = blockIdx.x * kTile + threadIdx.x, first_row = blockIdx.y * kTile;
  for (int part = 0; part < kTile; part += kTileRows) {
    const int y = part + threadIdx.y;
    if (first_row + y < rows && col < cols) {
      tile[y][threadIdx.x] = from[(first_row + y) * cols + col];
    }
  }
  __syncthreads();
  const int row = first_row + threadIdx.x, first_col = blockIdx.x * kTile;
  for (int part = 0; part < kTile; part += kTileRows) {
    const int y = part + threadIdx.y;
    if (first_col + y < cols && row < rows) {
      to[(first_col + y) * rows + row] = tile[threadIdx.x][y];
    }
  }
}

class CudaTranspose : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(CudaTranspose, SwapsRowsAndColumns) {
  const auto [rows, cols] = GetParam();
  std::vector<float> values(rows * cols);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Buffer<float> from(values), to(values.size());
  const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_kernel<<<grid, dim3(kTile, kTileRows)>>>(from.data(), to.data(), rows, cols);
  const auto found = to.get();
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      ASSERT_EQ(found[col * rows + row], values[row * cols + col]) << row << " " << col;
    }
  }
}

// Each part of a tile is once the one that the matrix ends in.
INSTANTIATE_TEST_SUITE_P(CudaShapes, CudaTranspose,
                         testing::Combine(testing::Values(64, 67, 75, 83, 91),
                                          testing::Values(96, 98, 106, 114, 122)));

__global__ void count_kernel(const int* x, int* to) {
  const int count = __syncthreads_count(x[threadIdx.x] > 0);
  const int all = __syncthreads_and(x[threadIdx.x] > 0);
  const int any = __syncthreads_or(x[threadIdx.x] > 0);
  to[threadIdx.x] = count * 100 + all * 10 + any;
}

TEST(CudaBarrier, CountsWhoSaysYes) {
  std::vector<int> x(96, 1);
  const Buffer<int> from(x), to(96);
  count_kernel<<<1, 96>>>(from.data(), to.data());
  EXPECT_EQ(to.get(), std::vector<int>(96, 9611));
  x[50] = 0;
  from.set(x);
  count_kernel<<<1, 96>>>(from.data(), to.data());
  EXPECT_EQ(to.get(), std::vector<int>(96, 9501));
}

}  // namespace
}  // namespace gk
