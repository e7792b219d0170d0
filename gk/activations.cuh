// SPDX-License-Identifier: Apache-2.0
// Activations of one f32 number: two special functions each. An SM does 16 of those a clock, and
// gets 2 to 3.5 elements of an element-wise chain a clock from memory.
#pragma once

#include "gk/ptx.cuh"

namespace gk {

// gelu_tanh(v) = v / (1 + 2^(-2 log2(e) sqrt(2/pi) (v + 0.044715 v^3))). tanh.approx would be one
// special function, but its error of 2^-11 is more than is allowed where a residual nearly cancels.
__device__ __forceinline__ float gelu_of(float v) {
  constexpr float kLinear = -2.30220819813F;
  constexpr float kCubic = 0.044715F * kLinear;
  return v * ptx::rcp(1.0F + ptx::ex2(v * fmaf(kCubic, v * v, kLinear)));
}

// silu(v) = v / (1 + 2^(-log2(e) v)).
__device__ __forceinline__ float silu_of(float v) {
  constexpr float kLog2E = 1.44269504089F;
  return v * ptx::rcp(1.0F + ptx::ex2(-kLog2E * v));
}

}  // namespace gk
