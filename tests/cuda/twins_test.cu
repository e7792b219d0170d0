// SPDX-License-Identifier: Apache-2.0
// Two files with kernels and variables of equal names, and one template that both instantiate.
#include <gtest/gtest.h>

#include "tests/cuda/device.hpp"
#include "tests/cuda/twins.cuh"

namespace gk::cuda_test {

static __global__ void twin_kernel(int* to) { to[threadIdx.x] = 1000 * twin_factor + threadIdx.x; }

namespace {

TEST(CudaTwins, KernelsOfOneNameStaySeparate) {
  const Buffer<int> mine(32), others(32);
  twin_kernel<<<1, 32>>>(mine.data());
  run_other_twin(others.data());
  const auto found = mine.get(), other = others.get();
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(found[i], 3000 + i);
    EXPECT_EQ(other[i], 6000 + i);
  }
}

TEST(CudaTwins, VariablesOfOneNameStaySeparate) {
  const Buffer<int> mine(32), others(32);
  set_other_factor(5);
  int factor = 0;
  check(cudaMemcpyFromSymbol(&factor, twin_factor, sizeof factor));
  EXPECT_EQ(factor, 3);
  EXPECT_EQ(other_factor(), 5);
  twin_kernel<<<1, 32>>>(mine.data());
  run_other_twin(others.data());
  EXPECT_EQ(mine.get()[1], 3001);
  EXPECT_EQ(others.get()[1], 10001);
  set_other_factor(3);
}

TEST(CudaTwins, OneTemplateServesBothFiles) {
  const Buffer<int> mine(32), others(32);
  twin_template_kernel<<<1, 32>>>(mine.data(), 100);
  run_other_template(others.data(), 200);
  EXPECT_EQ(mine.get()[31], 131);
  EXPECT_EQ(others.get()[31], 231);
}

}  // namespace
}  // namespace gk::cuda_test
