// SPDX-License-Identifier: Apache-2.0
// 16 bytes at a time, the widest access to global memory on sm_90, and the f32 numbers in them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gk/dtype.hpp"
#include "gk/problem.hpp"
#include "gk/ptx.cuh"

namespace gk {

// Elements in 16 bytes.
template <class T>
inline constexpr int kPerVector = 16 / static_cast<int>(sizeof(T));

// A dense matrix seen as one long row: whole vectors, then a tail of single elements. 32-bit
// indices cost a third of 64-bit ones.
struct Flat {
  std::uint32_t vectors, tail;

  // Blocks so that each of their threads gets `per_thread` vectors; one for a tail alone.
  std::uint32_t blocks(std::uint32_t threads, std::uint32_t per_thread) const {
    const std::uint32_t step = threads * per_thread;
    return std::max<std::uint32_t>(1, (vectors + step - 1) / step);
  }
};

// Throws Unsupported where 32-bit indices do not reach.
inline void check_indexable(std::int64_t elements) {
  if (elements >= std::int64_t{1} << 31) throw Unsupported("2^31 elements or more");
}

// Of a matrix that check_indexable lets pass.
template <class T>
Flat flat(std::int64_t elements) {
  return {static_cast<std::uint32_t>(elements / kPerVector<T>),
          static_cast<std::uint32_t>(elements % kPerVector<T>)};
}

// How memory is touched: kStreaming for data used once, which should displace nothing.
enum class Access : std::uint8_t { kPlain, kStreaming };

// Vector `index` of an array that is 16-byte aligned; read-only while the kernel runs.
template <Access kAccess, class T>
__device__ __forceinline__ uint4 load_vector(const T* data, std::uint32_t index) {
  const uint4* address = reinterpret_cast<const uint4*>(data) + index;
  if constexpr (kAccess == Access::kStreaming) return ptx::load_no_allocate(address);
  return __ldg(address);
}

template <Access kAccess, class T>
__device__ __forceinline__ void store_vector(T* data, std::uint32_t index, uint4 words) {
  uint4* address = reinterpret_cast<uint4*>(data) + index;
  if constexpr (kAccess == Access::kStreaming) {
    __stcs(address, words);
  } else {
    *address = words;
  }
}

__device__ __forceinline__ float to_f32(float value) { return value; }
__device__ __forceinline__ float to_f32(Bf16 value) {
  return __uint_as_float(static_cast<std::uint32_t>(value.bits) << 16);
}

// Rounds to nearest even.
template <class T>
__device__ __forceinline__ T from_f32(float value) {
  if constexpr (sizeof(T) == 4) {
    return value;
  } else {
    return {static_cast<std::uint16_t>(ptx::to_bf16x2(value, 0.0F))};
  }
}

// The numbers of a vector of f32, or of bf16: the array's size says which.
__device__ __forceinline__ void unpack(uint4 words, float (&values)[4]) {
  values[0] = __uint_as_float(words.x);
  values[1] = __uint_as_float(words.y);
  values[2] = __uint_as_float(words.z);
  values[3] = __uint_as_float(words.w);
}
__device__ __forceinline__ void unpack(uint4 words, float (&values)[8]) {
  const std::uint32_t pairs[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    values[2 * i] = __uint_as_float(pairs[i] << 16);
    values[2 * i + 1] = __uint_as_float(pairs[i] & 0xffff0000U);
  }
}

__device__ __forceinline__ uint4 pack(const float (&values)[4]) {
  return {__float_as_uint(values[0]), __float_as_uint(values[1]), __float_as_uint(values[2]),
          __float_as_uint(values[3])};
}
__device__ __forceinline__ uint4 pack(const float (&values)[8]) {
  return {ptx::to_bf16x2(values[0], values[1]), ptx::to_bf16x2(values[2], values[3]),
          ptx::to_bf16x2(values[4], values[5]), ptx::to_bf16x2(values[6], values[7])};
}

}  // namespace gk
