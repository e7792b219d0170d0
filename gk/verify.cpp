// SPDX-License-Identifier: Apache-2.0
#include "gk/verify.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace gk {
namespace {

constexpr std::int64_t kTileEdge = 64;  // where a kernel's tiles usually meet
constexpr std::size_t kMostEdgeRows = 64;
constexpr int kSeededRows = 8;

// Three significant digits are enough to see what kind of wrong it is.
std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

// Compares one row of one output, and notes the first wrong element.
struct RowCheck {
  const Case& problem;
  const Tensor& output;
  std::size_t output_index;
  bool stores_intermediates;
  Verdict& verdict;
  std::int64_t& wrong;

  void operator()(std::int64_t row, const std::vector<Expected>& expected) const {
    for (std::int64_t column = 0; column < output.cols; ++column) {
      const Expected& truth = expected[static_cast<std::size_t>(column)];
      const double value = element(output, row, column);
      const double error = std::abs(value - truth.value);
      const double allowed = tolerance(output.dtype, problem.terms, truth, stores_intermediates);
      if (!(error <= allowed)) {  // written so that NaN is wrong
        if (wrong++ == 0) note(row, column, value, truth.value, allowed);
        continue;
      }
      verdict.max_error = std::max(verdict.max_error, error);
      if (allowed > 0) verdict.tolerance_used = std::max(verdict.tolerance_used, error / allowed);
    }
  }

  void note(std::int64_t row, std::int64_t column, double value, double truth,
            double allowed) const {
    verdict.fault = "output " + std::to_string(output_index) + " [" + std::to_string(row) + ", " +
                    std::to_string(column) + "] is " + shown(value) + ", expected " + shown(truth) +
                    " within " + shown(allowed);
  }
};

}  // namespace

std::vector<std::int64_t> verified_rows(std::int64_t rows, std::uint64_t seed) {
  std::set<std::int64_t> edges;
  for (std::int64_t edge = kTileEdge; edge < rows && edges.size() + 2 <= kMostEdgeRows;
       edge += kTileEdge) {
    edges.insert({edge - 1, edge});
  }
  edges.insert({0, rows - 1});
  std::mt19937_64 random(seed);
  for (int i = 0; i < kSeededRows; ++i) {
    edges.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows)));
  }
  return {edges.begin(), edges.end()};
}

Truth make_truth(const Case& problem, Arena& set, std::uint64_t seed) {
  Truth truth{.rows = verified_rows(problem.rows, seed), .expected = {}};
  const ReferenceRow reference = problem.reference(set);
  for (const std::int64_t row : truth.rows) truth.expected.push_back(reference(row));
  return truth;
}

double tolerance(DType output, std::int64_t terms, const Expected& expected,
                 bool stores_intermediates) {
  const double growth = std::max(16.0, 4.0 * std::sqrt(static_cast<double>(terms)));
  const double stored = stores_intermediates ? 2.2 * round_off(output) * expected.intermediate : 0;
  return round_off(output) * std::abs(expected.value) + 0x1p-24 * growth * expected.scale + stored;
}

Verdict verify(const Case& problem, const Arena& set, const Truth& truth,
               bool stores_intermediates) {
  Verdict verdict;
  std::int64_t wrong = 0;
  std::int64_t looked_at = 0;
  const std::vector<Tensor> outputs = set.outputs();
  for (std::size_t i = 0; i < truth.rows.size(); ++i) {
    for (std::size_t output = 0; output < outputs.size(); ++output) {
      RowCheck{problem, outputs[output], output, stores_intermediates, verdict, wrong}(
          truth.rows[i], truth.expected[i][output]);
      looked_at += outputs[output].cols;
    }
  }
  if (wrong > 0) {
    verdict.fault += "; " + std::to_string(wrong) + " of " + std::to_string(looked_at) +
                     " elements looked at are wrong";
  } else if (!set.inputs_intact()) {
    verdict.fault = "an input was written over";
  }
  return verdict;
}

}  // namespace gk
