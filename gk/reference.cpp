// SPDX-License-Identifier: Apache-2.0
#include "gk/reference.hpp"

namespace gk {
namespace {

// Eight partial sums, so that the loop vectorises without reassociating floating point.
template <class T>
__attribute__((always_inline)) inline Expected dot_loop(const T* a, const T* b, std::int64_t k) {
  constexpr int kLanes = 8;
  double value[kLanes] = {}, scale[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= k; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const double product = static_cast<double>(to_float(a[i + lane])) * to_float(b[i + lane]);
      value[lane] += product;
      scale[lane] += std::abs(product);
    }
  }
  for (; i < k; ++i) {
    const double product = static_cast<double>(to_float(a[i])) * to_float(b[i]);
    value[0] += product;
    scale[0] += std::abs(product);
  }
  Expected sum{0, 0};
  for (int lane = 0; lane < kLanes; ++lane) {
    sum.value += value[lane];
    sum.scale += scale[lane];
  }
  return sum;
}

__attribute__((target_clones("avx512f", "avx2", "default"))) Expected dot_rows(const float* a,
                                                                               const float* b,
                                                                               std::int64_t k) {
  return dot_loop(a, b, k);
}

__attribute__((target_clones("avx512f", "avx2", "default"))) Expected dot_rows(const Bf16* a,
                                                                               const Bf16* b,
                                                                               std::int64_t k) {
  return dot_loop(a, b, k);
}

}  // namespace

Expected dot(const Tensor& a, std::int64_t a_row, const Tensor& b, std::int64_t b_row) {
  return visit(a.dtype, [&](auto tag) {
    using T = decltype(tag);
    return dot_rows(a.as<T>() + a_row * a.cols, b.as<T>() + b_row * b.cols, a.cols);
  });
}

}  // namespace gk
