// SPDX-License-Identifier: Apache-2.0
// The vendor's one-pass form: a binary addition of the bias, with GELU and the residual's addition
// as post-operations.
#include "gk/onednn.hpp"

#include "gk/registry.hpp"
#include "kernels/elementwise_bias_gelu_residual/problem.hpp"

namespace gk::elementwise_bias_gelu_residual {
namespace {

onednn::Executable fused(const BiasGeluResidual& problem) {
  const auto full = onednn::matrix(problem.dtype, problem.height, problem.width);
  const auto bias = onednn::matrix(problem.dtype, 1, problem.width);
  dnnl::post_ops post_ops = onednn::then_gelu();
  post_ops.append_binary(dnnl::algorithm::binary_add, full);
  const dnnl::binary::primitive_desc chosen({dnnl::algorithm::binary_add, full, bias, full},
                                            onednn::attributes(post_ops), onednn::engine());
  return {dnnl::binary(chosen),
          {{DNNL_ARG_SRC_0, full},
           {DNNL_ARG_SRC_1, bias},
           {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, full},
           {DNNL_ARG_DST, full},
           {DNNL_ARG_SCRATCHPAD, chosen.scratchpad_desc()}}};
}

std::vector<Plan> plans(const BiasGeluResidual& problem) {
  const auto executable =
      onednn::shared("binary addition with post-operations", [&] { return fused(problem); });
  return {{.detail = "binary with post-ops", .bind = [=](Arena& arena) -> Launch {
             const auto set = problem.operands(arena);
             void* scratch = arena.scratch(executable->scratchpad_bytes());
             return [=, x = set.x.data, bias = set.bias.data, r = set.r.data,
                     y = set.y.data](Stream) { executable->run(x, bias, r, y, scratch); };
           }}};
}

const Implementation<BiasGeluResidual> registration{"onednn", DeviceKind::kCpu, plans};

}  // namespace
}  // namespace gk::elementwise_bias_gelu_residual
