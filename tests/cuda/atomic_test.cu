// SPDX-License-Identifier: Apache-2.0
// Every atomic operation that a kernel may use, on global and on shared memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/cuda/device.hpp"

namespace gk {
namespace {

using cuda_test::Buffer;

constexpr int kBlocks = 3, kThreads = 96, kAll = kBlocks * kThreads;

struct Totals {
  unsigned long long wide;
  float sum;
  unsigned count;
  int max, min;
  unsigned bits, locked;
  int last;
  unsigned wrapped;
};

// 1-based numbers of threads: sums of integers, exact in f32.
__device__ __forceinline__ void contribute(Totals* to, int number) {
  atomicAdd(&to->wide, (1ULL << 32) + number);
  atomicAdd(&to->sum, static_cast<float>(number));
  atomicAdd(&to->count, 1U);
  atomicMax(&to->max, number % 7 == 0 ? number : -number);
  atomicMin(&to->min, -number);
  atomicOr(&to->bits, 1U << number % 32);
  // An addition made of compare-and-swap.
  unsigned seen = atomicAdd(&to->locked, 0U), assumed = 0;
  do {
    assumed = seen;
    seen = atomicCAS(&to->locked, assumed, assumed + 2);
  } while (seen != assumed);
  atomicExch(&to->last, number);
  atomicInc(&to->wrapped, 9);
}

__global__ void global_kernel(Totals* to) {
  contribute(to, static_cast<int>(blockIdx.x * kThreads + threadIdx.x) + 1);
}

__global__ void shared_kernel(Totals* to) {
  __shared__ Totals totals;
  if (threadIdx.x == 0) totals = Totals{};
  __syncthreads();
  contribute(&totals, static_cast<int>(threadIdx.x) + 1);
  __syncthreads();
  if (threadIdx.x == 0) to[blockIdx.x] = totals;
}

void expect_totals(const Totals& found, unsigned threads) {
  const unsigned sum = threads * (threads + 1) / 2;
  EXPECT_EQ(found.wide, (static_cast<unsigned long long>(threads) << 32) + sum);
  EXPECT_EQ(found.sum, static_cast<float>(sum));
  EXPECT_EQ(found.count, threads);
  EXPECT_EQ(found.max, static_cast<int>(threads / 7 * 7));
  EXPECT_EQ(found.min, -static_cast<int>(threads));
  EXPECT_EQ(found.bits, 0xffffffffU);
  EXPECT_EQ(found.locked, 2 * threads);
  EXPECT_TRUE(found.last >= 1 && found.last <= static_cast<int>(threads)) << found.last;
  EXPECT_EQ(found.wrapped, threads % 10);
}

TEST(CudaAtomics, OnGlobalMemory) {
  const Buffer<Totals> totals(std::vector<Totals>(1));
  global_kernel<<<kBlocks, kThreads>>>(totals.data());
  expect_totals(totals.get()[0], kAll);
}

TEST(CudaAtomics, OnSharedMemory) {
  const Buffer<Totals> totals(kBlocks);
  shared_kernel<<<kBlocks, kThreads>>>(totals.data());
  for (const Totals& found : totals.get()) expect_totals(found, kThreads);
}

__global__ void ticket_kernel(unsigned* counter, unsigned* ticket) {
  ticket[blockIdx.x * kThreads + threadIdx.x] = atomicAdd(counter, 1U);
}

TEST(CudaAtomics, GiveEveryThreadItsOwnTicket) {
  const Buffer<unsigned> counter(std::vector<unsigned>(1, 5)), ticket(kAll);
  ticket_kernel<<<kBlocks, kThreads>>>(counter.data(), ticket.data());
  const auto tickets = ticket.get();
  EXPECT_EQ(std::set<unsigned>(tickets.begin(), tickets.end()).size(), tickets.size());
  EXPECT_EQ(*std::min_element(tickets.begin(), tickets.end()), 5U);
  EXPECT_EQ(*std::max_element(tickets.begin(), tickets.end()), 5U + kAll - 1);
}

}  // namespace
}  // namespace gk
