// SPDX-License-Identifier: Apache-2.0
// What a framework without fusion runs: the product, then bias and GELU over its result in place,
// in the dtype of y as frameworks store it.
#include "gk/onednn.hpp"
#include "gk/registry.hpp"
#include "kernels/gemv_decode/onednn_product.hpp"
#include "kernels/gemv_decode/problem.hpp"

namespace gk::gemv_decode {
namespace {

// Bias and GELU in one pass is the fastest that the library has for this step.
onednn::Executable bias_gelu(const GemvDecode& problem) {
  const auto y = onednn::matrix(problem.dtype, problem.batch, problem.n);
  const auto bias = onednn::matrix(problem.dtype, 1, problem.n);
  return onednn::addition(y, bias, onednn::then_gelu());
}

Plan plan(const GemvDecode& problem, const std::shared_ptr<Product>& product,
          const std::shared_ptr<onednn::Executable>& step) {
  return {.detail = product->detail + ", then bias and GELU",
          .bind = [=](Arena& arena) -> Launch {
            const auto set = problem.operands(arena);
            const Product::Weights w = product->weights(arena, set.w);
            void* scratch = arena.scratch(product->executable.scratchpad_bytes());
            return [=, x = set.x.data, bias = set.bias.data, y = set.y.data](Stream) {
              product->run(x, w, y, scratch);
              step->run(y, bias, y);
            };
          },
          .stores_intermediates = true};
}

std::vector<Plan> plans(const GemvDecode& problem) {
  const auto step = onednn::shared("elementwise primitive", [&] { return bias_gelu(problem); });
  const Ending ending{.result = problem.dtype, .bias = false, .post_ops = {}};
  std::vector<Plan> made;
  for (const auto& form : products(problem, ending)) made.push_back(plan(problem, form, step));
  return made;
}

bool has_a_chain(const GemvDecode& problem) { return problem.epilogue != Epilogue::kNone; }

const Implementation<GemvDecode> registration{"onednn_unfused", DeviceKind::kCpu, plans,
                                              has_a_chain};

}  // namespace
}  // namespace gk::gemv_decode
