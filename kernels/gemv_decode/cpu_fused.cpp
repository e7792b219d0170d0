// SPDX-License-Identifier: Apache-2.0
// Bound by memory: each weight is read once. Plan: panels of 64 outputs are streamed in order and
// multiplied by broadcast tokens into registers; bias and GELU touch the finished sums only.
// Products are f32 FMAs, vdpbf16ps or AMX tiles, whichever the CPU has and is fastest.
#include <memory>

#include "gk/machine.hpp"
#include "gk/registry.hpp"
#include "kernels/gemv_decode/panels.hpp"
#include "kernels/gemv_decode/problem.hpp"
#include "kernels/gemv_decode/tiles.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemv_decode/cpu_fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/gemv_decode/vectors-inl.hpp"
#include "kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace gk::gemv_decode {
namespace HWY_NAMESPACE {
namespace {

namespace simd = gk::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

// Tokens that share one pass over the weights: their sums of a panel fill 16 KiB.
constexpr std::int64_t kPassTokens = 64;

// y[0, count) = epilogue(sums[0, count)) for one token; `bias` may be null.
template <class T>
void finish(float* sums, const T* bias, std::int64_t count, T* y) {
  if (bias != nullptr) {
    const simd::F32 d;
    float widened[kPanelWidth] = {};
    for (std::int64_t i = 0; i < count; ++i) widened[i] = to_float(bias[i]);
    for (std::int64_t i = 0; i < kPanelWidth; i += simd::kLanes) {
      hn::StoreU(simd::gelu_of(hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, widened + i))), d,
                 sums + i);
    }
  }
  for (std::int64_t i = 0; i < count; ++i) y[i] = from_float<T>(sums[i]);
}

void multiply(const Setup& setup, const std::uint32_t* panel, const std::uint32_t* packed,
              std::int64_t tokens, float* sums) {
  std::fill_n(sums, padded_tokens(tokens) * kPanelWidth, 0.0F);
  if (setup.product == Product::kTiles) {
    multiply_tiles(setup.panels, panel, packed, tokens, sums);
  } else if (setup.product == Product::kDot) {
    multiply_vectors<DotBf16>(setup.panels, panel, packed, tokens, sums);
  } else if (setup.panels.dtype == DType::kBf16) {
    multiply_vectors<MultiplyAddBf16>(setup.panels, panel, packed, tokens, sums);
  } else {
    multiply_vectors<MultiplyAddF32>(setup.panels, panel, packed, tokens, sums);
  }
}

template <class T>
void one_panel(const Setup& setup, std::int64_t panel, const std::uint32_t* w,
               const std::uint32_t* packed, const T* bias, T* y) {
  const std::int64_t column = panel * kPanelWidth, n = setup.panels.n;
  const std::int64_t count = std::min(kPanelWidth, n - column);
  for (std::int64_t first = 0; first < setup.problem.batch; first += kPassTokens) {
    const std::int64_t tokens = std::min(kPassTokens, setup.problem.batch - first);
    alignas(64) float sums[kPassTokens * kPanelWidth];
    multiply(setup, w + panel * setup.panels.panel_words(), packed + first * setup.panels.words(),
             tokens, sums);
    for (std::int64_t token = 0; token < tokens; ++token) {
      finish(sums + token * kPanelWidth, bias != nullptr ? bias + column : nullptr, count,
             y + (first + token) * n + column);
    }
  }
}

// `packed` is scratch for the tokens, padded_tokens(batch) rows of words.
void run(const Setup& setup, void* x, const std::uint32_t* w, const void* bias, void* y,
         std::uint32_t* packed) {
  const GemvDecode& problem = setup.problem;
  const Tensor tokens{.data = x, .dtype = problem.dtype, .rows = problem.batch, .cols = problem.k};
  const auto pack_tokens = setup.product == Product::kTiles ? pack_tiles : pack_groups;
  pack_tokens(setup.panels, tokens, packed);
  visit(problem.dtype, [&](auto tag) {
    using T = decltype(tag);
#pragma omp parallel for schedule(static)
    for (std::int64_t panel = 0; panel < setup.panels.count(); ++panel) {
      one_panel(setup, panel, w, packed, static_cast<const T*>(bias), static_cast<T*>(y));
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gk::gemv_decode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gk::gemv_decode {
namespace {

HWY_EXPORT(run);

Plan plan(const GemvDecode& problem, Product product, std::string detail) {
  const auto setup = std::make_shared<const Setup>(
      Setup{.problem = problem,
            .panels = {.dtype = problem.dtype, .n = problem.n, .k = problem.k},
            .product = product});
  return {.detail = std::move(detail), .bind = [setup](Arena& arena) -> Launch {
            const auto set = setup->problem.operands(arena);
            const Panels& panels = setup->panels;
            const auto* w = static_cast<const std::uint32_t*>(arena.packed_once(
                "panels of 64", panels.bytes(),
                [&](void* to) { pack(panels, set.w, static_cast<std::uint32_t*>(to)); }));
            auto* packed = static_cast<std::uint32_t*>(
                arena.scratch(padded_tokens(set.x.rows) * panels.words() * 4));
            return [=, x = set.x.data, bias = set.bias.data, y = set.y.data](Stream) {
              HWY_DYNAMIC_DISPATCH(run)(*setup, x, w, bias, y, packed);
            };
          }};
}

std::vector<Plan> plans(const GemvDecode& problem) {
  // vdpbf16ps can have half the rate of widening and multiply-adds: both are timed.
  std::vector<Plan> made = {plan(problem, Product::kMultiplyAdd, "panels of 64, multiply-adds")};
  if (problem.dtype == DType::kF32) return made;
  if (cpu_has(Isa::kAvx512Bf16)) {
    made.push_back(plan(problem, Product::kDot, "panels of 64, vdpbf16ps"));
  }
  if (cpu_has(Isa::kAmxBf16)) {
    made.push_back(plan(problem, Product::kTiles, "panels of 64, AMX tiles"));
  }
  return made;
}

const Implementation<GemvDecode> registration{"cpu_fused", DeviceKind::kCpu, plans};

}  // namespace
}  // namespace gk::gemv_decode
#endif  // HWY_ONCE
