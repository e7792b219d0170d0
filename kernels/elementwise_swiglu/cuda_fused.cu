// SPDX-License-Identifier: Apache-2.0
// Bound by memory: one pass, 2 reads and 1 write of the matrix.
// Plan: a flat grid; a thread has all its 16-byte loads in flight before it computes and stores.
#include <string>

#include "gk/activations.cuh"
#include "gk/check.hpp"
#include "gk/registry.hpp"
#include "gk/vector.cuh"
#include "kernels/elementwise_swiglu/problem.hpp"

namespace gk::elementwise_swiglu {
namespace {

constexpr int kThreads = 256;

template <class T>
struct Call {
  const T *g, *u;
  T* y;
  Flat flat;  // of the matrix
};

template <class T>
__device__ __forceinline__ uint4 result_of(uint4 g, uint4 u) {
  float values[kPerVector<T>], factors[kPerVector<T>];
  unpack(g, values);
  unpack(u, factors);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) values[i] = silu_of(values[i]) * factors[i];
  return pack(values);
}

template <class T, int kVectors>
__global__ void __launch_bounds__(kThreads) elementwise_swiglu_kernel(const Call<T> call) {
  const std::uint32_t first = blockIdx.x * (kThreads * kVectors) + threadIdx.x;
  uint4 g[kVectors], u[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const std::uint32_t vector = first + i * kThreads;
    if (vector >= call.flat.vectors) break;
    g[i] = load_vector<Access::kStreaming>(call.g, vector);
    u[i] = load_vector<Access::kStreaming>(call.u, vector);
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const std::uint32_t vector = first + i * kThreads;
    if (vector >= call.flat.vectors) break;
    store_vector<Access::kStreaming>(call.y, vector, result_of<T>(g[i], u[i]));
  }
  if (first < call.flat.tail) {
    const std::uint32_t at = call.flat.vectors * kPerVector<T> + first;
    call.y[at] = from_f32<T>(silu_of(to_f32(call.g[at])) * to_f32(call.u[at]));
  }
}

template <class T, int kVectors>
void launch(const Swiglu::Operands& set, Stream stream) {
  const Call<T> call{
      .g = set.g.as<T>(), .u = set.u.as<T>(), .y = set.y.as<T>(), .flat = flat<T>(set.y.size())};
  const std::uint32_t blocks = call.flat.blocks(kThreads, kVectors);
  elementwise_swiglu_kernel<T, kVectors><<<blocks, kThreads, 0, stream>>>(call);
  check(cudaGetLastError());
}

template <int kVectors>
Plan plan(const Swiglu& problem) {
  return {.detail = "vectors per thread: " + std::to_string(kVectors),
          .bind = [problem](Arena& arena) -> Launch {
            const auto set = problem.operands(arena);
            return [problem, set](Stream stream) {
              visit(problem.dtype, [&](auto tag) { launch<decltype(tag), kVectors>(set, stream); });
            };
          }};
}

std::vector<Plan> plans(const Swiglu& problem) {
  check_indexable(problem.height * problem.width);
  return {plan<1>(problem), plan<2>(problem), plan<4>(problem)};
}

const Implementation<Swiglu> registration{"cuda_fused", DeviceKind::kCuda, plans};

}  // namespace
}  // namespace gk::elementwise_swiglu
