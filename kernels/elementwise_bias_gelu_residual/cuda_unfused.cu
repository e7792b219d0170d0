// SPDX-License-Identifier: Apache-2.0
// What a framework without fusion runs: three kernels, each bound by memory, each reading and
// writing the matrix, in the dtype of y as frameworks store it. Plan: a flat grid, a vector a
// thread.
#include "gk/check.hpp"
#include "gk/divider.cuh"
#include "gk/registry.hpp"
#include "gk/vector.cuh"
#include "kernels/elementwise_bias_gelu_residual/problem.hpp"

namespace gk::elementwise_bias_gelu_residual {
namespace {

constexpr int kThreads = 256;

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// As in cuda_fused.cu; the second operand is not looked at.
struct Gelu {
  __device__ float operator()(float v, float) const {
    constexpr float kLinear = -2.30220819813F;
    constexpr float kCubic = 0.044715F * kLinear;
    return v * ptx::rcp(1.0F + ptx::ex2(v * fmaf(kCubic, v * v, kLinear)));
  }
};

// y = step(a, b), element by element.
template <class Step, class T>
__global__ void __launch_bounds__(kThreads) step_kernel(const T* a, const T* b, T* y, Flat flat) {
  const std::uint32_t index = blockIdx.x * kThreads + threadIdx.x;
  if (index < flat.vectors) {
    float left[kPerVector<T>], right[kPerVector<T>];
    unpack(load_vector<Access::kPlain>(a, index), left);
    unpack(load_vector<Access::kPlain>(b, index), right);
#pragma unroll
    for (int i = 0; i < kPerVector<T>; ++i) left[i] = Step()(left[i], right[i]);
    store_vector<Access::kPlain>(y, index, pack(left));
  }
  if (index < flat.tail) {
    const std::uint32_t at = flat.vectors * kPerVector<T> + index;
    y[at] = from_f32<T>(Step()(to_f32(a[at]), to_f32(b[at])));
  }
}

// y = x + bias, the bias once for each row: a framework's broadcast, element by element where rows
// are not whole vectors.
template <class T>
__global__ void __launch_bounds__(kThreads)
    add_bias_kernel(const T* x, const T* bias, T* y, Flat flat, Divider width) {
  const std::uint32_t index = blockIdx.x * kThreads + threadIdx.x;
  if (index >= flat.vectors) return;
  float values[kPerVector<T>], added[kPerVector<T>];
  unpack(load_vector<Access::kPlain>(x, index), values);
  unpack(load_vector<Access::kPlain>(bias, width.remainder(index)), added);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) values[i] += added[i];
  store_vector<Access::kPlain>(y, index, pack(values));
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    add_bias_ragged_kernel(const T* x, const T* bias, T* y, std::uint32_t elements, Divider width) {
  const std::uint32_t at = blockIdx.x * kThreads + threadIdx.x;
  if (at >= elements) return;
  y[at] = from_f32<T>(to_f32(x[at]) + to_f32(bias[width.remainder(at)]));
}

template <class T>
void add_bias(const BiasGeluResidual::Operands& set, T* y, Stream stream) {
  const Flat extent = flat<T>(set.x.size());
  const auto width = static_cast<std::uint32_t>(set.x.cols);
  if (width % kPerVector<T> == 0) {
    add_bias_kernel<<<extent.blocks(kThreads, 1), kThreads, 0, stream>>>(
        set.x.as<T>(), set.bias.as<T>(), y, extent, Divider(width / kPerVector<T>));
  } else {
    const auto elements = static_cast<std::uint32_t>(set.x.size());
    add_bias_ragged_kernel<<<(elements + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
        set.x.as<T>(), set.bias.as<T>(), y, elements, Divider(width));
  }
  check(cudaGetLastError());
}

template <class Step, class T>
void step(const T* a, const T* b, const Tensor& to, Stream stream) {
  const Flat extent = flat<T>(to.size());
  step_kernel<Step><<<extent.blocks(kThreads, 1), kThreads, 0, stream>>>(a, b, to.as<T>(), extent);
  check(cudaGetLastError());
}

std::vector<Plan> plans(const BiasGeluResidual& problem) {
  visit(problem.dtype, [&](auto tag) { flat<decltype(tag)>(problem.height * problem.width); });
  return {{.detail = "3 kernels, through scratch",
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
                 add_bias(set, sum.as<T>(), stream);
                 step<Gelu>(sum.as<T>(), sum.as<T>(), activated, stream);
                 step<Add>(activated.as<T>(), set.r.as<T>(), set.y, stream);
               });
             };
           },
           .stores_intermediates = true}};
}

const Implementation<BiasGeluResidual> registration{"cuda_unfused", DeviceKind::kCuda, plans};

}  // namespace
}  // namespace gk::elementwise_bias_gelu_residual
