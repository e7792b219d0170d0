// SPDX-License-Identifier: Apache-2.0
// What a framework without fusion runs: three kernels, each bound by memory, each reading and
// writing the matrix, in the dtype of y as frameworks store it. Plan: a flat grid, as in the fused
// kernel.
#include <string>

#include "gk/activations.cuh"
#include "gk/check.hpp"
#include "gk/divider.cuh"
#include "gk/map.cuh"
#include "gk/registry.hpp"
#include "kernels/elementwise_bias_gelu_residual/problem.hpp"

namespace gk::elementwise_bias_gelu_residual {
namespace {

constexpr int kThreads = 256;

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// The second operand is not looked at.
struct Gelu {
  __device__ float operator()(float v, float) const { return gelu_of(v); }
};

// y = Step()(a, b), element by element.
template <class Step, int kVectors, class T>
__global__ void __launch_bounds__(kThreads)
    elementwise_bias_gelu_residual_step_kernel(const T* a, const T* b, T* y, Flat flat) {
  map_elements<Step, kThreads, kVectors>(a, b, y, flat);
}

// y = x + bias, the bias once for each row: a framework's broadcast, element by element where rows
// are not whole vectors.
template <int kVectors, class T>
__global__ void __launch_bounds__(kThreads)
    elementwise_bias_gelu_residual_bias_kernel(const T* x, const T* bias, T* y, Flat flat,
                                               Divider width) {
  const std::uint32_t first = blockIdx.x * (kThreads * kVectors) + threadIdx.x;
  uint4 loaded[kVectors], row_bias[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const std::uint32_t vector = first + i * kThreads;
    if (vector >= flat.vectors) break;
    loaded[i] = load_vector<Access::kPlain>(x, vector);
    row_bias[i] = load_vector<Access::kPlain>(bias, width.remainder(vector));
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const std::uint32_t vector = first + i * kThreads;
    if (vector >= flat.vectors) break;
    float values[kPerVector<T>], added[kPerVector<T>];
    unpack(loaded[i], values);
    unpack(row_bias[i], added);
#pragma unroll
    for (int j = 0; j < kPerVector<T>; ++j) values[j] += added[j];
    store_vector<Access::kPlain>(y, vector, pack(values));
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    elementwise_bias_gelu_residual_bias_ragged_kernel(const T* x, const T* bias, T* y,
                                                      std::uint32_t elements, Divider width) {
  const std::uint32_t at = blockIdx.x * kThreads + threadIdx.x;
  if (at >= elements) return;
  y[at] = from_f32<T>(to_f32(x[at]) + to_f32(bias[width.remainder(at)]));
}

template <int kVectors, class T>
void add_bias(const BiasGeluResidual::Operands& set, T* y, Stream stream) {
  const Flat extent = flat<T>(set.x.size());
  const auto width = static_cast<std::uint32_t>(set.x.cols);
  if (width % kPerVector<T> == 0) {
    elementwise_bias_gelu_residual_bias_kernel<kVectors>
        <<<extent.blocks(kThreads, kVectors), kThreads, 0, stream>>>(
            set.x.as<T>(), set.bias.as<T>(), y, extent, Divider(width / kPerVector<T>));
  } else {
    const auto elements = static_cast<std::uint32_t>(set.x.size());
    elementwise_bias_gelu_residual_bias_ragged_kernel<<<(elements + kThreads - 1) / kThreads,
                                                        kThreads, 0, stream>>>(
        set.x.as<T>(), set.bias.as<T>(), y, elements, Divider(width));
  }
  check(cudaGetLastError());
}

template <class Step, int kVectors, class T>
void step(const T* a, const T* b, const Tensor& to, Stream stream) {
  const Flat extent = flat<T>(to.size());
  elementwise_bias_gelu_residual_step_kernel<Step, kVectors>
      <<<extent.blocks(kThreads, kVectors), kThreads, 0, stream>>>(a, b, to.as<T>(), extent);
  check(cudaGetLastError());
}

template <int kVectors>
Plan plan(const BiasGeluResidual& problem) {
  return {.detail = "3 kernels, through scratch, vectors per thread: " + std::to_string(kVectors),
          .bind = [problem](Arena& arena) -> Launch {
            const auto set = problem.operands(arena);
            Tensor sum = set.y, activated = set.y;
            // Two matrices, each aligned as one of its own would be.
            const std::int64_t bytes = (set.y.bytes() + 255) / 256 * 256;
            sum.data = arena.scratch(2 * bytes);
            activated.data = sum.as<std::byte>() + bytes;
            return [problem, set, sum, activated](Stream stream) {
              visit(problem.dtype, [&](auto tag) {
                using T = decltype(tag);
                add_bias<kVectors>(set, sum.as<T>(), stream);
                step<Gelu, kVectors>(sum.as<T>(), sum.as<T>(), activated, stream);
                step<Add, kVectors>(activated.as<T>(), set.r.as<T>(), set.y, stream);
              });
            };
          },
          .stores_intermediates = true};
}

std::vector<Plan> plans(const BiasGeluResidual& problem) {
  check_indexable(problem.height * problem.width);
  return {plan<1>(problem), plan<2>(problem), plan<4>(problem)};
}

const Implementation<BiasGeluResidual> registration{"cuda_unfused", DeviceKind::kCuda, plans};

}  // namespace
}  // namespace gk::elementwise_bias_gelu_residual
