// SPDX-License-Identifier: Apache-2.0
// Bound by memory: one pass, 2 reads and 1 write of the matrix; the bias stays in L1 or L2.
// Plan: pieces of a row go through GELU in registers; past the caches the result is stored
// around them (non-temporal), which saves reading y before it is overwritten.
#include <algorithm>
#include <memory>

#include "gk/registry.hpp"
#include "kernels/elementwise_bias_gelu_residual/problem.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise_bias_gelu_residual/cpu_fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace gk::elementwise_bias_gelu_residual {
namespace HWY_NAMESPACE {
namespace {

namespace simd = gk::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kPieceColumns = 4096;  // a thread's step; 16 KB of f32 bias stay in L1
// bf16 with non-temporal stores is 3.5 x slower without (those stores seem to
// starve the hardware's own prefetching), and 2 to 8 KiB differ by 5 %.
constexpr std::int64_t kPrefetchBytes = 2048;

struct Formula {
  HWY_INLINE simd::VF operator()(simd::VF x, simd::VF bias, simd::VF r) const {
    return hn::Add(simd::gelu_of(hn::Add(x, bias)), r);
  }
};

template <class T>
HWY_INLINE simd::VU result_words(const T* x, const T* bias, const T* r) {
  return simd::map_words<T>(Formula(), simd::load_words(x), simd::load_words(bias),
                            simd::load_words(r));
}

// Fewer elements than a vector holds, through buffers: nothing past the end is touched.
template <class T>
void finish_row(const T* x, const T* bias, const T* r, T* y, std::int64_t count) {
  T in[3][simd::kElements<T>] = {};
  T out[simd::kElements<T>];
  std::copy_n(x, count, in[0]);
  std::copy_n(bias, count, in[1]);
  std::copy_n(r, count, in[2]);
  simd::store_words(result_words(in[0], in[1], in[2]), out);
  std::copy_n(out, count, y);
}

template <class T, bool kNonTemporal>
void piece(const T* x, const T* bias, const T* r, T* y, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + simd::kElements<T> <= count; i += simd::kElements<T>) {
    simd::prefetch(x + i, kPrefetchBytes);
    simd::prefetch(r + i, kPrefetchBytes);
    const simd::VU words = result_words(x + i, bias + i, r + i);
    if constexpr (kNonTemporal) {
      simd::stream_words(words, y + i);
    } else {
      simd::store_words(words, y + i);
    }
  }
  if (i < count) finish_row(x + i, bias + i, r + i, y + i, count - i);
}

template <class T, bool kNonTemporal>
void all_rows(const BiasGeluResidual& problem, const T* x, const T* bias, const T* r, T* y) {
  const std::int64_t pieces = (problem.width + kPieceColumns - 1) / kPieceColumns;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::int64_t step = 0; step < problem.height * pieces; ++step) {
      const std::int64_t first = step % pieces * kPieceColumns;
      const std::int64_t at = step / pieces * problem.width + first;
      const std::int64_t count = std::min(kPieceColumns, problem.width - first);
      piece<T, kNonTemporal>(x + at, bias + first, r + at, y + at, count);
    }
    if (kNonTemporal) hwy::FlushStream();
  }
}

void run(const BiasGeluResidual& problem, bool non_temporal, const void* x, const void* bias,
         const void* r, void* y) {
  visit(problem.dtype, [&](auto tag) {
    using T = decltype(tag);
    const auto rows = non_temporal ? all_rows<T, true> : all_rows<T, false>;
    rows(problem, static_cast<const T*>(x), static_cast<const T*>(bias), static_cast<const T*>(r),
         static_cast<T*>(y));
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gk::elementwise_bias_gelu_residual
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gk::elementwise_bias_gelu_residual {
namespace {

constexpr std::int64_t kLineBytes = 64;  // what a non-temporal store of any target aligns to

HWY_EXPORT(run);

Plan plan(const std::shared_ptr<const BiasGeluResidual>& problem, bool non_temporal) {
  return {.detail = non_temporal ? "non-temporal stores" : "plain stores",
          .bind = [=](Arena& arena) -> Launch {
            const auto set = problem->operands(arena);
            return
                [=, x = set.x.data, bias = set.bias.data, r = set.r.data, y = set.y.data](Stream) {
                  HWY_DYNAMIC_DISPATCH(run)(*problem, non_temporal, x, bias, r, y);
                };
          }};
}

std::vector<Plan> plans(const BiasGeluResidual& problem) {
  const auto shared = std::make_shared<const BiasGeluResidual>(problem);
  std::vector<Plan> made = {plan(shared, false)};
  if (bytes_of(problem.dtype, problem.width) % kLineBytes == 0) made.push_back(plan(shared, true));
  return made;
}

const Implementation<BiasGeluResidual> registration{"cpu_fused", DeviceKind::kCpu, plans};

}  // namespace
}  // namespace gk::elementwise_bias_gelu_residual
#endif  // HWY_ONCE
