// SPDX-License-Identifier: Apache-2.0
// The vendor at its best: weights in the layout that the library asks for, repacked once per set;
// bias and GELU inside the product.
#include "gk/onednn.hpp"

#include "gk/registry.hpp"
#include "kernels/gemv_decode/onednn_product.hpp"
#include "kernels/gemv_decode/problem.hpp"

namespace gk::gemv_decode {
namespace {

Plan plan(const GemvDecode& problem, const std::shared_ptr<Product>& product) {
  return {.detail = product->detail, .bind = [=](Arena& arena) -> Launch {
            const auto set = problem.operands(arena);
            const Product::Weights w = product->weights(arena, set.w);
            void* scratch = arena.scratch(product->executable.scratchpad_bytes());
            return [=, x = set.x.data, bias = set.bias.data, y = set.y.data](Stream) {
              product->run(x, w, y, scratch, bias);
            };
          }};
}

std::vector<Plan> plans(const GemvDecode& problem) {
  const bool fused = problem.epilogue == Epilogue::kBiasGelu;
  const Ending ending{.result = problem.dtype,
                      .bias = fused,
                      .post_ops = fused ? onednn::then_gelu() : dnnl::post_ops()};
  std::vector<Plan> made;
  for (const auto& product : products(problem, ending)) made.push_back(plan(problem, product));
  return made;
}

const Implementation<GemvDecode> registration{"onednn", DeviceKind::kCpu, plans};

}  // namespace
}  // namespace gk::gemv_decode
