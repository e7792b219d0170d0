// SPDX-License-Identifier: Apache-2.0
// Grids whose blocks wait for each other: all must be resident, which a cooperative launch checks.
#include <gtest/gtest.h>

#include "tests/cuda/device.hpp"

namespace gk {
namespace {

using cuda_test::Buffer;
using cuda_test::Stream;

constexpr int kThreads = 64;

__device__ __forceinline__ unsigned load_acquire(const unsigned* address) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(__cvta_generic_to_global(address))
               : "memory");
  return value;
}

// Waits until all blocks have arrived `round` times. `arrivals` starts at 0.
__device__ __forceinline__ void grid_barrier(unsigned* arrivals, unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrivals, 1U);
    while (load_acquire(arrivals) < round * gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
}

// Each round every block reads what its neighbour wrote in the last one.
__global__ void ring_kernel(int* values, unsigned* arrivals, int rounds) {
  const unsigned blocks = gridDim.x, block = blockIdx.x;
  for (int round = 0; round < rounds; ++round) {
    int* from = values + round % 2 * blocks * kThreads;
    int* to = values + (round + 1) % 2 * blocks * kThreads;
    const unsigned neighbour = (block + 1) % blocks;
    to[block * kThreads + threadIdx.x] = __ldcg(&from[neighbour * kThreads + threadIdx.x]) + 1;
    grid_barrier(arrivals, round + 1);
  }
}

cudaError_t launch_ring(const Buffer<int>& values, const Buffer<unsigned>& arrivals, int blocks,
                        int rounds) {
  const Stream stream;
  int* data = values.data();
  unsigned* count = arrivals.data();
  void* arguments[] = {&data, &count, &rounds};
  const cudaError_t status = cudaLaunchCooperativeKernel(
      reinterpret_cast<const void*>(ring_kernel), blocks, kThreads, arguments, 0, stream.get());
  if (status == cudaSuccess) stream.synchronize();
  return status;
}

class CudaRing : public testing::TestWithParam<int> {};

TEST_P(CudaRing, BlocksWaitForEachOther) {
  const int blocks = 6, rounds = GetParam();
  std::vector<int> start(2 * blocks * kThreads, 0);
  for (int i = 0; i < blocks * kThreads; ++i) start[i] = 100 * i;
  const Buffer<int> values(start);
  const Buffer<unsigned> arrivals(std::vector<unsigned>(1, 0));
  ASSERT_EQ(launch_ring(values, arrivals, blocks, rounds), cudaSuccess);
  const auto found = values.get();
  for (int round = rounds - 1; round <= rounds; ++round) {  // the last two are still there
    for (int block = 0; block < blocks; ++block) {
      for (int thread = 0; thread < kThreads; ++thread) {
        const int origin = (block + round) % blocks * kThreads + thread;
        EXPECT_EQ(found[round % 2 * blocks * kThreads + block * kThreads + thread],
                  100 * origin + round);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CudaRounds, CudaRing, testing::Values(1, 2, 5));

TEST(CudaCooperative, MoreBlocksThanFitAreRefused) {
  int per_multiprocessor = 0, multiprocessors = 0;
  check(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, ring_kernel, kThreads, 0));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const Buffer<int> values(1);
  const Buffer<unsigned> arrivals(1);
  EXPECT_EQ(launch_ring(values, arrivals, per_multiprocessor * multiprocessors + 1, 0),
            cudaErrorCooperativeLaunchTooLarge);
  static_cast<void>(cudaGetLastError());
}

}  // namespace
}  // namespace gk
