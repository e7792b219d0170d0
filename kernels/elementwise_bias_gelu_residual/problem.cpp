// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise_bias_gelu_residual/problem.hpp"

#include <cmath>

#include "gk/reference.hpp"

namespace gk::elementwise_bias_gelu_residual {
namespace {

// Bias, residual, and a GELU of 8 operations (the convention of gemv_decode).
constexpr double kFlopsPerElement = 10;

}  // namespace

std::vector<BiasGeluResidual> BiasGeluResidual::sweep(const Sweep& sweep) {
  std::vector<BiasGeluResidual> problems;
  for (const DType dtype : sweep.effective_dtypes()) {
    for (const auto& [rows, cols] : rows_by_cols(sweep)) {
      problems.push_back({dtype, rows, cols, {}});
    }
  }
  return sweep.trimmed(std::move(problems));
}

std::vector<Axis> BiasGeluResidual::axes() const { return {{"rows", height}, {"cols", width}}; }

Work BiasGeluResidual::work() const {
  const std::int64_t elements = height * width;
  return {.flops = kFlopsPerElement * static_cast<double>(elements),
          .read_bytes = static_cast<double>(bytes_of(dtype, 2 * elements + width)),
          .written_bytes = static_cast<double>(bytes_of(dtype, elements)),
          .unit = Unit::kVector};
}

BiasGeluResidual::Operands BiasGeluResidual::operands(Arena& arena) const {
  // Four times the unit interval: both tails of GELU and its bend are exercised.
  return {.x = arena.input("x", dtype, height, width, 4.0F),
          .bias = arena.input("bias", dtype, 1, width),
          .r = arena.input("r", dtype, height, width),
          .y = arena.output("y", dtype, height, width)};
}

ReferenceRow BiasGeluResidual::reference(Arena& arena) const {
  return [set = operands(arena), width = width](std::int64_t row) {
    std::vector<Expected> y;
    y.reserve(static_cast<std::size_t>(width));
    for (std::int64_t column = 0; column < width; ++column) {
      const double x = element(set.x, row, column);
      const double bias = element(set.bias, 0, column);
      const double r = element(set.r, row, column);
      y.push_back({gelu_tanh(x + bias) + r, std::abs(x) + std::abs(bias) + std::abs(r),
                   std::abs(x + bias)});
    }
    return std::vector<std::vector<Expected>>{std::move(y)};
  };
}

}  // namespace gk::elementwise_bias_gelu_residual
