// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise_swiglu/problem.hpp"

#include <cmath>

namespace gk::elementwise_swiglu {
namespace {

// An exponential, an addition, a division and a product.
constexpr double kFlopsPerElement = 4;

}  // namespace

std::vector<Swiglu> Swiglu::sweep(const Sweep& sweep) {
  std::vector<Swiglu> problems;
  for (const DType dtype : sweep.effective_dtypes()) {
    for (const auto& [rows, cols] : rows_by_cols(sweep)) {
      problems.push_back({dtype, rows, cols, {}});
    }
  }
  return sweep.trimmed(std::move(problems));
}

std::vector<Axis> Swiglu::axes() const { return {{"rows", height}, {"cols", width}}; }

Work Swiglu::work() const {
  const std::int64_t elements = height * width;
  return {.flops = kFlopsPerElement * static_cast<double>(elements),
          .read_bytes = static_cast<double>(bytes_of(dtype, 2 * elements)),
          .written_bytes = static_cast<double>(bytes_of(dtype, elements)),
          .unit = Unit::kVector};
}

Swiglu::Operands Swiglu::operands(Arena& arena) const {
  // Four times the unit interval: both tails of the sigmoid and its bend are exercised.
  return {.g = arena.input("g", dtype, height, width, 4.0F),
          .u = arena.input("u", dtype, height, width),
          .y = arena.output("y", dtype, height, width)};
}

ReferenceRow Swiglu::reference(Arena& arena) const {
  return [set = operands(arena), width = width](std::int64_t row) {
    std::vector<Expected> y;
    y.reserve(static_cast<std::size_t>(width));
    for (std::int64_t column = 0; column < width; ++column) {
      const double g = element(set.g, row, column);
      const double u = element(set.u, row, column);
      const double value = g / (1.0 + std::exp(-g)) * u;
      // The stored silu(g) is off by its rounding, which the product scales by u.
      y.push_back({value, std::abs(g * u), std::abs(value)});
    }
    return std::vector<std::vector<Expected>>{std::move(y)};
  };
}

}  // namespace gk::elementwise_swiglu
