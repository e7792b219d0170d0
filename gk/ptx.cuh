// SPDX-License-Identifier: Apache-2.0
// Each PTX instruction without a C++ name, wrapped once.
#pragma once

#include <cstdint>

namespace gk::ptx {

// 2^x, relative error at most 2^-22 (PTX ISA); denormal results are 0.
__device__ __forceinline__ float ex2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// 1 / x, error at most 1 unit in the last place (PTX ISA); 1 / infinity is 0.
__device__ __forceinline__ float rcp(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// Two bf16 in one word, rounded to nearest even.
__device__ __forceinline__ std::uint32_t to_bf16x2(float low, float high) {
  std::uint32_t words;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(words) : "f"(high), "f"(low));
  return words;
}

// 16 bytes that nobody writes while the kernel runs and nobody reads again: not kept in L1.
// volatile keeps loads in their order and before the first store.
__device__ __forceinline__ uint4 load_no_allocate(const void* address) {
  uint4 words;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(__cvta_generic_to_global(address)));
  return words;
}

}  // namespace gk::ptx
