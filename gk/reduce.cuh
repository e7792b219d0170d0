// SPDX-License-Identifier: Apache-2.0
// Sums and maxima over a warp and over a block; every thread gets the result.
#pragma once

#include <cmath>
#include <cstdint>

namespace gk {

constexpr int kWarp = 32;

struct Sum {
  static constexpr float kNothing = 0.0F;
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};
struct Max {
  static constexpr float kNothing = -INFINITY;
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// Over kLanes neighbouring lanes, a power of two; all lanes of the warp take part.
template <class Op, int kLanes = kWarp>
__device__ __forceinline__ float warp_reduce(float value) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    value = Op()(value, __shfl_xor_sync(0xffffffffU, value, distance));
  }
  return value;
}

// Over a block of whole warps. `partials` lies in shared memory, one number for each warp; the next
// reduction may use it again.
template <class Op>
__device__ __forceinline__ float block_reduce(float value, float* partials) {
  const unsigned warps = blockDim.x / kWarp, warp = threadIdx.x / kWarp;
  const unsigned lane = threadIdx.x % kWarp;
  value = warp_reduce<Op>(value);
  if (warps == 1) return value;
  __syncthreads();  // a warp may still be reading what the last reduction left here
  if (lane == 0) partials[warp] = value;
  __syncthreads();
  // Each warp adds them up for itself: cheaper than a third barrier.
  return warp_reduce<Op>(lane < warps ? partials[lane] : Op::kNothing);
}

template <int kLanes = kWarp>
__device__ __forceinline__ float warp_sum(float value) {
  return warp_reduce<Sum, kLanes>(value);
}
template <int kLanes = kWarp>
__device__ __forceinline__ float warp_max(float value) {
  return warp_reduce<Max, kLanes>(value);
}
__device__ __forceinline__ float block_sum(float value, float* partials) {
  return block_reduce<Sum>(value, partials);
}
__device__ __forceinline__ float block_max(float value, float* partials) {
  return block_reduce<Max>(value, partials);
}

}  // namespace gk
