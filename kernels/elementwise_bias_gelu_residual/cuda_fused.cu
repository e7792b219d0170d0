// SPDX-License-Identifier: Apache-2.0
// Bound by memory: one pass, 2 reads and 1 write of the matrix; the bias stays in L1 and L2.
// Plan: a flat grid; a thread has all its 16-byte loads in flight before it computes and stores.
#include <string>

#include "gk/activations.cuh"
#include "gk/check.hpp"
#include "gk/divider.cuh"
#include "gk/registry.hpp"
#include "gk/vector.cuh"
#include "kernels/elementwise_bias_gelu_residual/problem.hpp"

namespace gk::elementwise_bias_gelu_residual {
namespace {

constexpr int kThreads = 256;

template <class T>
struct Call {
  const T *x, *bias, *r;
  T* y;
  Flat flat;      // of the matrix
  Divider width;  // of a row: in vectors, or in elements where rows are ragged
};

__device__ __forceinline__ float result_of(float x, float bias, float r) {
  return gelu_of(x + bias) + r;
}

// The bias for a vector of ragged rows, which may begin anywhere in it.
template <class T>
__device__ __forceinline__ void load_bias(const Call<T>& call, std::uint32_t vector,
                                          float (&bias)[kPerVector<T>]) {
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    bias[i] = to_f32(call.bias[call.width.remainder(vector * kPerVector<T> + i)]);
  }
}

template <class T>
__device__ __forceinline__ uint4 result_of(uint4 x, const float (&bias)[kPerVector<T>], uint4 r) {
  float values[kPerVector<T>], residual[kPerVector<T>];
  unpack(x, values);
  unpack(r, residual);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) values[i] = result_of(values[i], bias[i], residual[i]);
  return pack(values);
}

template <class T, bool kRagged, int kVectors>
__global__ void __launch_bounds__(kThreads)
    elementwise_bias_gelu_residual_kernel(const Call<T> call) {
  const std::uint32_t first = blockIdx.x * (kThreads * kVectors) + threadIdx.x;
  uint4 x[kVectors], r[kVectors], row_bias[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const std::uint32_t vector = first + i * kThreads;
    if (vector >= call.flat.vectors) break;
    x[i] = load_vector<Access::kStreaming>(call.x, vector);
    r[i] = load_vector<Access::kStreaming>(call.r, vector);
    if (kRagged) continue;
    row_bias[i] = load_vector<Access::kPlain>(call.bias, call.width.remainder(vector));
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const std::uint32_t vector = first + i * kThreads;
    if (vector >= call.flat.vectors) break;
    float bias[kPerVector<T>];
    if constexpr (kRagged) {
      load_bias(call, vector, bias);
    } else {
      unpack(row_bias[i], bias);
    }
    store_vector<Access::kStreaming>(call.y, vector, result_of<T>(x[i], bias, r[i]));
  }
  if (kRagged && first < call.flat.tail) {
    const std::uint32_t at = call.flat.vectors * kPerVector<T> + first;
    call.y[at] = from_f32<T>(result_of(
        to_f32(call.x[at]), to_f32(call.bias[call.width.remainder(at)]), to_f32(call.r[at])));
  }
}

template <class T, bool kRagged, int kVectors>
void launch(const BiasGeluResidual& problem, const BiasGeluResidual::Operands& set, Stream stream) {
  const auto width = static_cast<std::uint32_t>(problem.width);
  const Call<T> call{.x = set.x.as<T>(),
                     .bias = set.bias.as<T>(),
                     .r = set.r.as<T>(),
                     .y = set.y.as<T>(),
                     .flat = flat<T>(set.y.size()),
                     .width = Divider(kRagged ? width : width / kPerVector<T>)};
  const std::uint32_t blocks = call.flat.blocks(kThreads, kVectors);
  elementwise_bias_gelu_residual_kernel<T, kRagged, kVectors>
      <<<blocks, kThreads, 0, stream>>>(call);
  check(cudaGetLastError());
}

template <bool kRagged, int kVectors>
Plan plan(const BiasGeluResidual& problem) {
  return {.detail = "vectors per thread: " + std::to_string(kVectors) + (kRagged ? ", ragged" : ""),
          .bind = [problem](Arena& arena) -> Launch {
            const auto set = problem.operands(arena);
            return [problem, set](Stream stream) {
              visit(problem.dtype, [&](auto tag) {
                launch<decltype(tag), kRagged, kVectors>(problem, set, stream);
              });
            };
          }};
}

std::vector<Plan> plans(const BiasGeluResidual& problem) {
  check_indexable(problem.height * problem.width);
  if (bytes_of(problem.dtype, problem.width) % 16 != 0) return {plan<true, 1>(problem)};
  return {plan<false, 1>(problem), plan<false, 2>(problem), plan<false, 4>(problem)};
}

const Implementation<BiasGeluResidual> registration{"cuda_fused", DeviceKind::kCuda, plans};

}  // namespace
}  // namespace gk::elementwise_bias_gelu_residual
