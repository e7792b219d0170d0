// SPDX-License-Identifier: Apache-2.0
// gemv_decode: y[batch, n] = epilogue(x[batch, k] W[n, k]^T), one layer of one decode step.
// Memory-bound: every weight is read once, and used `batch` times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gk/problem.hpp"
#include "gk/sweep.hpp"

namespace gk::gemv_decode {

enum class Epilogue : std::uint8_t { kNone, kBiasGelu };

constexpr std::string_view name_of(Epilogue epilogue) {
  return epilogue == Epilogue::kNone ? "none" : "bias_gelu";
}

struct GemvDecode {
  static constexpr std::string_view kName = "gemv_decode";

  struct Operands {
    Tensor x;     // [batch, k]
    Tensor w;     // [n, k], row-major; implementations may repack it, untimed
    Tensor bias;  // [1, n]; empty without a bias
    Tensor y;     // [batch, n]
  };

  DType dtype;  // of x, w, bias and y; sums are f32
  std::int64_t n, k, batch;
  Epilogue epilogue;
  std::vector<std::string> roles;

  static std::vector<GemvDecode> sweep(const Sweep& sweep);
  std::vector<Axis> axes() const;
  Work work() const;
  Operands operands(Arena& arena) const;
  std::int64_t rows() const { return batch; }
  std::int64_t terms() const { return k; }
  ReferenceRow reference(Arena& arena) const;
};

}  // namespace gk::gemv_decode
