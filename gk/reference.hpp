// SPDX-License-Identifier: Apache-2.0
// Pieces of the truth, in double precision, that several problems share.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "gk/problem.hpp"

namespace gk {

// GELU in its tanh form: 0.5 v (1 + tanh(sqrt(2/pi) (v + 0.044715 v^3))).
inline double gelu_tanh(double v) {
  const double inner = std::sqrt(2.0 * std::numbers::inv_pi) * (v + 0.044715 * v * v * v);
  return 0.5 * v * (1.0 + std::tanh(inner));
}

// Inner product of row `a_row` of `a` and row `b_row` of `b` (equal columns, host tensors);
// the scale is sum |a b|.
Expected dot(const Tensor& a, std::int64_t a_row, const Tensor& b, std::int64_t b_row);

}  // namespace gk
