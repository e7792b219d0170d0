// SPDX-License-Identifier: Apache-2.0
#include "gk/check.hpp"
#include "tests/cuda/twins.cuh"

namespace gk::cuda_test {

// Beside its namesake in twins_test.cu.
static __global__ void twin_kernel(int* to) { to[threadIdx.x] = 2000 * twin_factor + threadIdx.x; }

void run_other_twin(int* to) {
  twin_kernel<<<1, 32>>>(to);
  check(cudaGetLastError());
}

void run_other_template(int* to, int value) {
  twin_template_kernel<<<1, 32>>>(to, value);
  check(cudaGetLastError());
}

int other_factor() {
  int factor = 0;
  check(cudaMemcpyFromSymbol(&factor, twin_factor, sizeof factor));
  return factor;
}

void set_other_factor(int factor) {
  check(cudaMemcpyToSymbol(twin_factor, &factor, sizeof factor));
  check(cudaDeviceSynchronize());
}

}  // namespace gk::cuda_test
