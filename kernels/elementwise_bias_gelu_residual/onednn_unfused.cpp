// SPDX-License-Identifier: Apache-2.0
// What a framework without fusion runs: three primitives, each reading and writing the matrix, in
// the dtype of y as frameworks store it.
#include "gk/onednn.hpp"
#include "gk/registry.hpp"
#include "kernels/elementwise_bias_gelu_residual/problem.hpp"

namespace gk::elementwise_bias_gelu_residual {
namespace {

struct Chain {
  onednn::Executable add_bias, gelu, add_residual;
};

Chain chain(const BiasGeluResidual& problem) {
  const auto full = onednn::matrix(problem.dtype, problem.height, problem.width);
  const auto bias = onednn::matrix(problem.dtype, 1, problem.width);
  return {.add_bias = onednn::addition(full, bias),
          .gelu = onednn::gelu_of(full),
          .add_residual = onednn::addition(full, full)};
}

// The intermediate results go to y itself or to a matrix of their own.
Plan plan(const BiasGeluResidual& problem, const std::shared_ptr<Chain>& steps, bool in_place) {
  return {.detail = in_place ? "3 primitives, in place" : "3 primitives, through scratch",
          .bind = [=](Arena& arena) -> Launch {
            const auto set = problem.operands(arena);
            void* between = in_place ? set.y.data : arena.scratch(set.y.bytes());
            return
                [=, x = set.x.data, bias = set.bias.data, r = set.r.data, y = set.y.data](Stream) {
                  steps->add_bias.run(x, bias, between);
                  steps->gelu.run(between, between);
                  steps->add_residual.run(between, r, y);
                };
          },
          .stores_intermediates = true};
}

std::vector<Plan> plans(const BiasGeluResidual& problem) {
  const auto steps = onednn::shared("elementwise primitive", [&] { return chain(problem); });
  return {plan(problem, steps, true), plan(problem, steps, false)};
}

const Implementation<BiasGeluResidual> registration{"onednn_unfused", DeviceKind::kCpu, plans};

}  // namespace
}  // namespace gk::elementwise_bias_gelu_residual
