// SPDX-License-Identifier: Apache-2.0
// elementwise_swiglu: y = silu(g) * u, with silu(g) = g / (1 + e^-g).
// Memory-bound: two reads and one write of a full matrix.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gk/problem.hpp"
#include "gk/sweep.hpp"

namespace gk::elementwise_swiglu {

struct Swiglu {
  static constexpr std::string_view kName = "elementwise_swiglu";

  struct Operands {
    Tensor g;  // [rows, cols]
    Tensor u;  // [rows, cols]
    Tensor y;  // [rows, cols]
  };

  DType dtype;  // of all operands; arithmetic is f32
  std::int64_t height, width;
  std::vector<std::string> roles;

  static std::vector<Swiglu> sweep(const Sweep& sweep);
  std::vector<Axis> axes() const;
  Work work() const;
  Operands operands(Arena& arena) const;
  std::int64_t rows() const { return height; }
  std::int64_t terms() const { return 1; }
  ReferenceRow reference(Arena& arena) const;
};

}  // namespace gk::elementwise_swiglu
