// SPDX-License-Identifier: Apache-2.0
// What a framework without fusion runs: silu(g) and the product, each bound by memory, each reading
// and writing the matrix, in the dtype of y. Plan: a flat grid, a vector a thread.
#include "gk/check.hpp"
#include "gk/registry.hpp"
#include "gk/vector.cuh"
#include "kernels/elementwise_swiglu/problem.hpp"

namespace gk::elementwise_swiglu {
namespace {

constexpr int kThreads = 256;

__device__ __forceinline__ float silu_of(float g) {
  constexpr float kLog2E = 1.44269504089F;
  return g * ptx::rcp(1.0F + ptx::ex2(-kLog2E * g));
}

template <class T>
__global__ void __launch_bounds__(kThreads) silu_kernel(const T* g, T* y, Flat flat) {
  const std::uint32_t index = blockIdx.x * kThreads + threadIdx.x;
  if (index < flat.vectors) {
    float values[kPerVector<T>];
    unpack(load_vector<Access::kPlain>(g, index), values);
#pragma unroll
    for (int i = 0; i < kPerVector<T>; ++i) values[i] = silu_of(values[i]);
    store_vector<Access::kPlain>(y, index, pack(values));
  }
  if (index < flat.tail) {
    const std::uint32_t at = flat.vectors * kPerVector<T> + index;
    y[at] = from_f32<T>(silu_of(to_f32(g[at])));
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    product_kernel(const T* a, const T* b, T* y, Flat flat) {
  const std::uint32_t index = blockIdx.x * kThreads + threadIdx.x;
  if (index < flat.vectors) {
    float left[kPerVector<T>], right[kPerVector<T>];
    unpack(load_vector<Access::kPlain>(a, index), left);
    unpack(load_vector<Access::kPlain>(b, index), right);
#pragma unroll
    for (int i = 0; i < kPerVector<T>; ++i) left[i] *= right[i];
    store_vector<Access::kPlain>(y, index, pack(left));
  }
  if (index < flat.tail) {
    const std::uint32_t at = flat.vectors * kPerVector<T> + index;
    y[at] = from_f32<T>(to_f32(a[at]) * to_f32(b[at]));
  }
}

template <class T>
void launch(const Swiglu::Operands& set, void* scratch, Stream stream) {
  const Flat extent = flat<T>(set.y.size());
  const std::uint32_t blocks = extent.blocks(kThreads, 1);
  T* activated = static_cast<T*>(scratch);
  silu_kernel<<<blocks, kThreads, 0, stream>>>(set.g.as<T>(), activated, extent);
  check(cudaGetLastError());
  product_kernel<T>
      <<<blocks, kThreads, 0, stream>>>(activated, set.u.as<T>(), set.y.as<T>(), extent);
  check(cudaGetLastError());
}

std::vector<Plan> plans(const Swiglu& problem) {
  visit(problem.dtype, [&](auto tag) { flat<decltype(tag)>(problem.height * problem.width); });
  return {{.detail = "2 kernels, through scratch",
           .bind = [problem](Arena& arena) -> Launch {
             const auto set = problem.operands(arena);
             void* scratch = arena.scratch(set.y.bytes());
             return [problem, set, scratch](Stream stream) {
               visit(problem.dtype, [&](auto tag) { launch<decltype(tag)>(set, scratch, stream); });
             };
           },
           .stores_intermediates = true}};
}

const Implementation<Swiglu> registration{"cuda_unfused", DeviceKind::kCuda, plans};

}  // namespace
}  // namespace gk::elementwise_swiglu
