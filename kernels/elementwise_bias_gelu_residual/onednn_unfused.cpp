// SPDX-License-Identifier: Apache-2.0
// What a framework without fusion runs: three primitives, each reading and writing the matrix.
// Between them all is f32, converted from and to bf16 at the ends: a chain that rounds to bf16
// after every step leaves the tolerance.
#include "gk/onednn.hpp"
#include "gk/registry.hpp"
#include "kernels/elementwise_bias_gelu_residual/problem.hpp"

namespace gk::elementwise_bias_gelu_residual {
namespace {

struct Chain {
  onednn::Executable add_bias, gelu, add_residual, widen, narrow;
};

Chain chain(const BiasGeluResidual& problem) {
  const auto full = onednn::matrix(problem.dtype, problem.height, problem.width);
  const auto bias = onednn::matrix(problem.dtype, 1, problem.width);
  const auto between = onednn::matrix(DType::kF32, problem.height, problem.width);
  return {.add_bias = onednn::addition(between, bias),
          .gelu = onednn::gelu_of(between),
          .add_residual = onednn::addition(between, full),
          .widen = onednn::conversion(full, between),
          .narrow = onednn::conversion(between, full)};
}

// The intermediate results go to y itself or to a matrix of their own.
Plan f32_plan(const BiasGeluResidual& problem, const std::shared_ptr<Chain>& steps, bool in_place) {
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
          }};
}

Plan bf16_plan(const BiasGeluResidual& problem, const std::shared_ptr<Chain>& steps) {
  return {.detail = "3 primitives in f32, 2 conversions", .bind = [=](Arena& arena) -> Launch {
            const auto set = problem.operands(arena);
            void* between = arena.scratch(bytes_of(DType::kF32, set.y.size()));
            return
                [=, x = set.x.data, bias = set.bias.data, r = set.r.data, y = set.y.data](Stream) {
                  steps->widen.run(x, between);
                  steps->add_bias.run(between, bias, between);
                  steps->gelu.run(between, between);
                  steps->add_residual.run(between, r, between);
                  steps->narrow.run(between, y);
                };
          }};
}

std::vector<Plan> plans(const BiasGeluResidual& problem) {
  const auto steps = onednn::shared("elementwise primitive", [&] { return chain(problem); });
  if (problem.dtype == DType::kBf16) return {bf16_plan(problem, steps)};
  return {f32_plan(problem, steps, true), f32_plan(problem, steps, false)};
}

const Implementation<BiasGeluResidual> registration{"onednn_unfused", DeviceKind::kCpu, plans};

}  // namespace
}  // namespace gk::elementwise_bias_gelu_residual
