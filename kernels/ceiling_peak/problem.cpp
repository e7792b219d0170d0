// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceiling_peak/problem.hpp"

#include <cmath>

#include "gk/reference.hpp"

namespace gk::ceiling_peak {
namespace {

// kSteps times the inner product of `count` elements of a's and b's rows.
Expected repeated(const CeilingPeak::Operands& set, std::int64_t a_row, std::int64_t b_row,
                  std::int64_t first, std::int64_t count) {
  Expected sum{0, 0};
  for (std::int64_t i = first; i < first + count; ++i) {
    const double product = kSteps * element(set.a, a_row, i) * element(set.b, b_row, i);
    sum.value += product;
    sum.scale += std::abs(product);
  }
  return sum;
}

}  // namespace

std::vector<CeilingPeak> CeilingPeak::sweep(const Sweep& sweep) {
  if (!sweep.shapes.empty()) return {};
  std::vector<CeilingPeak> problems;
  for (const DType dtype : sweep.effective_dtypes()) {
    problems.push_back({dtype, Unit::kVector, {}});
    // No CPU multiplies matrices of f32.
    if (dtype == DType::kBf16) problems.push_back({dtype, Unit::kMatrix, {}});
  }
  return problems;
}

std::vector<Axis> CeilingPeak::axes() const { return {{"unit", std::string(name_of(unit))}}; }

std::int64_t CeilingPeak::products() const {
  if (unit == Unit::kMatrix) return kMatrix;
  return dtype == DType::kBf16 ? 2 : 1;
}

Work CeilingPeak::work() const {
  const std::int64_t outputs = unit == Unit::kVector ? kChains * kLanes : kMatrix * kMatrix;
  const std::int64_t inputs =
      unit == Unit::kVector ? (kLeft + kRight) * kLanes * products() : 2 * kMatrix * kMatrix;
  return {.flops = 2.0 * static_cast<double>(kRounds * additions() * outputs),
          .read_bytes = static_cast<double>(bytes_of(dtype, inputs)),
          .written_bytes = static_cast<double>(bytes_of(DType::kF32, outputs)),
          .unit = unit};
}

CeilingPeak::Operands CeilingPeak::operands(Arena& arena) const {
  const bool vector = unit == Unit::kVector;
  const std::int64_t width = vector ? kLanes * products() : kMatrix;
  return {.a = arena.input("a", dtype, vector ? kLeft : kMatrix, width),
          .b = arena.input("b", dtype, vector ? kRight : kMatrix, width),
          .y = arena.output("y", DType::kF32, rows(), vector ? kLanes : kMatrix)};
}

ReferenceRow CeilingPeak::reference(Arena& arena) const {
  return [set = operands(arena), problem = *this](std::int64_t row) {
    const std::int64_t count = problem.products();
    std::vector<Expected> y;
    for (std::int64_t column = 0; column < set.y.cols; ++column) {
      y.push_back(problem.unit == Unit::kMatrix
                      ? repeated(set, row, column, 0, count)
                      : repeated(set, row % kLeft, row / kLeft, column * count, count));
    }
    return std::vector<std::vector<Expected>>{std::move(y)};
  };
}

}  // namespace gk::ceiling_peak
