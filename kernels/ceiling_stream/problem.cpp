// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceiling_stream/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gk/machine.hpp"

namespace gk::ceiling_stream {
namespace {

constexpr std::pair<int, int> kMixes[] = {{1, 0}, {1, 1}, {2, 1}, {1, 2}, {2, 2}};
constexpr std::string_view kReadNames[] = {"r0", "r1"};
constexpr std::string_view kWrittenNames[] = {"w0", "w1"};

// Rows of one stream so that all streams together fill the level's plateau.
std::int64_t height_for(const CacheLevel& level, std::int64_t streams) {
  const std::int64_t row_bytes = bytes_of(DType::kF32, kColumns);
  return std::max<std::int64_t>(1, level.plateau_bytes / (streams * row_bytes));
}

std::vector<Expected> column_maxima(const Tensor& x) {
  std::vector<Expected> maxima(kColumns, {-std::numeric_limits<double>::infinity(), 0});
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t column = 0; column < kColumns; ++column) {
      Expected& most = maxima[static_cast<std::size_t>(column)];
      most.value = std::max(most.value, element(x, row, column));
    }
  }
  return maxima;
}

}  // namespace

std::vector<CeilingStream> CeilingStream::sweep(const Sweep& sweep) {
  if (!sweep.shapes.empty()) return {};
  const auto& levels = sweep.levels.empty() ? machine().levels : sweep.levels;
  std::vector<CeilingStream> problems;
  for (const auto& [reads, writes] : kMixes) {
    for (const CacheLevel& level : levels) {
      problems.push_back({reads, writes, level.name, height_for(level, reads + writes), {}});
    }
  }
  return problems;
}

std::vector<Axis> CeilingStream::axes() const {
  return {{"reads", reads}, {"writes", writes}, {"level", level}};
}

std::int64_t CeilingStream::passes() const {
  constexpr std::int64_t kLeastBytes = 1 << 20;  // of one call, so that calling costs nothing
  const std::int64_t bytes = (reads + writes) * bytes_of(dtype, height * kColumns);
  return std::max<std::int64_t>(1, kLeastBytes / bytes);
}

Work CeilingStream::work() const {
  const auto bytes = static_cast<double>(passes() * bytes_of(dtype, height * kColumns));
  const double adds = reads == 1 && writes > 0 ? 0 : 1;  // a copy computes nothing
  return {.flops = adds * static_cast<double>(passes() * height * kColumns),
          .read_bytes = static_cast<double>(reads) * bytes,
          .written_bytes = static_cast<double>(writes) * bytes,
          .unit = Unit::kVector};
}

CeilingStream::Operands CeilingStream::operands(Arena& arena) const {
  Operands set;
  for (std::int64_t i = 0; i < reads; ++i) {
    set.read.push_back(arena.input(kReadNames[i], dtype, height, kColumns));
  }
  for (std::int64_t i = 0; i < writes; ++i) {
    set.written.push_back(arena.output(kWrittenNames[i], dtype, height, kColumns));
  }
  if (writes == 0) set.written.push_back(arena.output("maxima", dtype, 1, kColumns));
  return set;
}

ReferenceRow CeilingStream::reference(Arena& arena) const {
  return [set = operands(arena), read_only = writes == 0](std::int64_t row) {
    using Rows = std::vector<std::vector<Expected>>;
    if (read_only) return Rows{column_maxima(set.read.front())};
    std::vector<Expected> sums;
    for (std::int64_t column = 0; column < kColumns; ++column) {
      Expected sum{0, 0};
      for (const Tensor& x : set.read) {
        sum.value += element(x, row, column);
        sum.scale += std::abs(element(x, row, column));
      }
      sums.push_back(sum);
    }
    return Rows(set.written.size(), sums);
  };
}

}  // namespace gk::ceiling_stream
