// SPDX-License-Identifier: Apache-2.0
// Names that two files share: each file has its own copy of all of them.
#pragma once

#include <cstdint>

namespace gk::cuda_test {

static __constant__ int twin_factor = 3;

// Both files instantiate it for int.
template <class T>
__global__ void twin_template_kernel(T* to, T value) {
  to[threadIdx.x] = value + static_cast<T>(threadIdx.x);
}

// What the other file's kernels of these names write.
void run_other_twin(int* to);
void run_other_template(int* to, int value);
// Its copy of twin_factor, read and set.
int other_factor();
void set_other_factor(int factor);

}  // namespace gk::cuda_test
