// SPDX-License-Identifier: Apache-2.0
// What a framework without fusion runs: the product, then bias and GELU over its result. The
// result between the two is f32: rounded to bf16 it would leave the tolerance.
#include "gk/onednn.hpp"
#include "gk/registry.hpp"
#include "kernels/gemv_decode/onednn_product.hpp"
#include "kernels/gemv_decode/problem.hpp"

namespace gk::gemv_decode {
namespace {

// Bias and GELU in one pass is the fastest that the library has for this step.
struct Finish {
  onednn::Executable bias_gelu, narrow;
};

Finish finish(const GemvDecode& problem) {
  const auto between = onednn::matrix(DType::kF32, problem.batch, problem.n);
  const auto bias = onednn::matrix(problem.dtype, 1, problem.n);
  const auto y = onednn::matrix(problem.dtype, problem.batch, problem.n);
  return {.bias_gelu = onednn::addition(between, bias, onednn::then_gelu()),
          .narrow = onednn::conversion(between, y)};
}

// Where the result between product and finish goes: y itself if that is f32, and else scratch,
// whose other part is the product's own.
Plan plan(const GemvDecode& problem, const std::shared_ptr<Product>& product,
          const std::shared_ptr<Finish>& finish) {
  return {.detail = product->detail + ", then bias and GELU", .bind = [=](Arena& arena) -> Launch {
            const auto set = problem.operands(arena);
            void* w = product->weights(arena, set.w);
            const bool narrow = problem.dtype == DType::kBf16;
            const std::int64_t between_bytes = narrow ? bytes_of(DType::kF32, set.y.size()) : 0;
            auto* scratch = static_cast<std::byte*>(
                arena.scratch(between_bytes + product->executable.scratchpad_bytes()));
            void* between = narrow ? scratch : set.y.data;
            return [=, own = scratch + between_bytes, x = set.x.data, bias = set.bias.data,
                    y = set.y.data](Stream) {
              product->executable.run(x, w, between, own);
              finish->bias_gelu.run(between, bias, between);
              if (between != y) finish->narrow.run(between, y);
            };
          }};
}

std::vector<Plan> plans(const GemvDecode& problem) {
  if (problem.epilogue == Epilogue::kNone) throw Unsupported("epilogue none: no chain to unfuse");
  const auto step = onednn::shared("elementwise primitive", [&] { return finish(problem); });
  const Ending ending{.result = DType::kF32, .bias = false, .post_ops = {}};
  std::vector<Plan> made;
  for (const auto& product : products(problem, ending))
    made.push_back(plan(problem, product, step));
  return made;
}

const Implementation<GemvDecode> registration{"onednn_unfused", DeviceKind::kCpu, plans};

}  // namespace
}  // namespace gk::gemv_decode
