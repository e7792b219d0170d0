// SPDX-License-Identifier: Apache-2.0
// One operation on each pair of elements of two matrices: what a framework without fusion launches.
#pragma once

#include "gk/vector.cuh"

namespace gk {

// y = Op()(a, b), element by element, by blocks of kThreads, in a flat grid. A thread has kVectors
// 16-byte loads of each matrix in flight; of b none, where Op does not look at it.
template <class Op, int kThreads, int kVectors, class T>
__device__ __forceinline__ void map_elements(const T* a, const T* b, T* y, Flat flat) {
  const std::uint32_t first = blockIdx.x * (kThreads * kVectors) + threadIdx.x;
  uint4 left[kVectors], right[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const std::uint32_t vector = first + i * kThreads;
    if (vector >= flat.vectors) break;
    left[i] = load_vector<Access::kPlain>(a, vector);
    right[i] = load_vector<Access::kPlain>(b, vector);
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const std::uint32_t vector = first + i * kThreads;
    if (vector >= flat.vectors) break;
    float values[kPerVector<T>], others[kPerVector<T>];
    unpack(left[i], values);
    unpack(right[i], others);
#pragma unroll
    for (int j = 0; j < kPerVector<T>; ++j) values[j] = Op()(values[j], others[j]);
    store_vector<Access::kPlain>(y, vector, pack(values));
  }
  if (first < flat.tail) {
    const std::uint32_t at = flat.vectors * kPerVector<T> + first;
    y[at] = from_f32<T>(Op()(to_f32(a[at]), to_f32(b[at])));
  }
}

}  // namespace gk
