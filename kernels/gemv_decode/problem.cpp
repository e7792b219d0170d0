// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemv_decode/problem.hpp"

#include <cmath>

#include "gk/reference.hpp"

namespace gk::gemv_decode {
namespace {

// Batch 5 is where a matrix unit starts to pay for its padding (tiles of 8 or 16 tokens).
constexpr std::int64_t kFirstMatrixBatch = 5;
// A GELU counts as 8 operations: 2 for the cube, 3 for the inner sum, tanh, and 2 outside.
constexpr double kGeluFlops = 8;

Epilogue epilogue_of(const std::string& name) {
  // residual and swiglu run as none until the ops of the CPU backend bring their kernels.
  return name == "bias_gelu" ? Epilogue::kBiasGelu : Epilogue::kNone;
}

// The problems that one --gk_shape fixes; what it leaves open is swept.
void add_shape(const Sweep& sweep, const Shape& shape, DType dtype, std::vector<GemvDecode>& out) {
  if (!only_has(shape, {"n", "k", "batch", "epilogue"})) return;
  const auto n = integer(shape, "n");
  const auto k = integer(shape, "k");
  if (!n || !k) return;
  const auto batch = integer(shape, "batch");
  const auto batches = batch ? std::vector{*batch} : sweep.effective_batches();
  const std::string epilogue = word(shape, "epilogue").value_or("none");
  if (epilogue != "none" && epilogue != "bias_gelu") {
    throw InputError("--gk_shape: gemv_decode has no epilogue '" + epilogue +
                     "'; it has none and bias_gelu");
  }
  for (const std::int64_t b : batches) {
    out.push_back({dtype, *n, *k, b, epilogue_of(epilogue), {}});
  }
}

}  // namespace

std::vector<GemvDecode> GemvDecode::sweep(const Sweep& sweep) {
  std::vector<GemvDecode> problems;
  for (const DType dtype : sweep.effective_dtypes()) {
    for (const Shape& shape : sweep.shapes) add_shape(sweep, shape, dtype, problems);
    if (!sweep.shapes.empty()) continue;
    for (const Layer& layer : sweep.effective_layers()) {
      for (const std::int64_t batch : sweep.effective_batches()) {
        problems.push_back(
            {dtype, layer.n, layer.k, batch, epilogue_of(layer.epilogue), {layer.role}});
      }
    }
  }
  return sweep.trimmed(std::move(problems));
}

std::vector<Axis> GemvDecode::axes() const {
  return {{"n", n}, {"k", k}, {"batch", batch}, {"epilogue", std::string(name_of(epilogue))}};
}

Work GemvDecode::work() const {
  const bool has_bias = epilogue == Epilogue::kBiasGelu;
  const double outputs = static_cast<double>(batch) * static_cast<double>(n);
  const double products = outputs * static_cast<double>(k);
  return {
      .flops = 2 * products + (has_bias ? (1 + kGeluFlops) * outputs : 0),
      .read_bytes = static_cast<double>(bytes_of(dtype, n * k + batch * k + (has_bias ? n : 0))),
      .written_bytes = static_cast<double>(bytes_of(dtype, batch * n)),
      .unit = batch < kFirstMatrixBatch ? Unit::kVector : Unit::kMatrix};
}

GemvDecode::Operands GemvDecode::operands(Arena& arena) const {
  // Weights scaled so that outputs have a deviation near 1, where GELU is not saturated.
  const float scale = 3.0F / std::sqrt(static_cast<float>(k));
  Operands set;
  set.x = arena.input("x", dtype, batch, k);
  set.w = arena.input("w", dtype, n, k, scale);
  if (epilogue == Epilogue::kBiasGelu) set.bias = arena.input("bias", dtype, 1, n);
  set.y = arena.output("y", dtype, batch, n);
  return set;
}

ReferenceRow GemvDecode::reference(Arena& arena) const {
  return [set = operands(arena), n = n](std::int64_t row) {
    std::vector<Expected> y(static_cast<std::size_t>(n));
#pragma omp parallel for schedule(static)
    for (std::int64_t column = 0; column < n; ++column) {
      Expected sum = dot(set.x, row, set.w, column);
      if (set.bias.data != nullptr) {
        const double bias = element(set.bias, 0, column);
        sum = {gelu_tanh(sum.value + bias), sum.scale + std::abs(bias),
               std::max(std::abs(sum.value), std::abs(sum.value + bias))};
      }
      y[static_cast<std::size_t>(column)] = sum;
    }
    return std::vector<std::vector<Expected>>{std::move(y)};
  };
}

}  // namespace gk::gemv_decode
