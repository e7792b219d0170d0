// SPDX-License-Identifier: Apache-2.0
// What a framework without fusion runs: silu(g) and the product, each bound by memory, each reading
// and writing the matrix, in the dtype of y. Plan: a flat grid, as in the fused kernel.
#include <string>

#include "gk/activations.cuh"
#include "gk/check.hpp"
#include "gk/map.cuh"
#include "gk/registry.hpp"
#include "kernels/elementwise_swiglu/problem.hpp"

namespace gk::elementwise_swiglu {
namespace {

constexpr int kThreads = 256;

// The second operand is not looked at.
struct Silu {
  __device__ float operator()(float v, float) const { return silu_of(v); }
};

struct Product {
  __device__ float operator()(float a, float b) const { return a * b; }
};

template <int kVectors, class T>
__global__ void __launch_bounds__(kThreads)
    elementwise_swiglu_silu_kernel(const T* g, T* y, Flat flat) {
  map_elements<Silu, kThreads, kVectors>(g, g, y, flat);
}

template <int kVectors, class T>
__global__ void __launch_bounds__(kThreads)
    elementwise_swiglu_product_kernel(const T* a, const T* b, T* y, Flat flat) {
  map_elements<Product, kThreads, kVectors>(a, b, y, flat);
}

template <int kVectors, class T>
void launch(const Swiglu::Operands& set, void* scratch, Stream stream) {
  const Flat extent = flat<T>(set.y.size());
  const std::uint32_t blocks = extent.blocks(kThreads, kVectors);
  T* activated = static_cast<T*>(scratch);
  elementwise_swiglu_silu_kernel<kVectors>
      <<<blocks, kThreads, 0, stream>>>(set.g.as<T>(), activated, extent);
  check(cudaGetLastError());
  elementwise_swiglu_product_kernel<kVectors, T>
      <<<blocks, kThreads, 0, stream>>>(activated, set.u.as<T>(), set.y.as<T>(), extent);
  check(cudaGetLastError());
}

template <int kVectors>
Plan plan(const Swiglu& problem) {
  return {.detail = "2 kernels, through scratch, vectors per thread: " + std::to_string(kVectors),
          .bind = [problem](Arena& arena) -> Launch {
            const auto set = problem.operands(arena);
            void* scratch = arena.scratch(set.y.bytes());
            return [problem, set, scratch](Stream stream) {
              visit(problem.dtype,
                    [&](auto tag) { launch<kVectors, decltype(tag)>(set, scratch, stream); });
            };
          },
          .stores_intermediates = true};
}

std::vector<Plan> plans(const Swiglu& problem) {
  check_indexable(problem.height * problem.width);
  return {plan<1>(problem), plan<2>(problem), plan<4>(problem)};
}

const Implementation<Swiglu> registration{"cuda_unfused", DeviceKind::kCuda, plans};

}  // namespace
}  // namespace gk::elementwise_swiglu
