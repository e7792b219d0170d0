// SPDX-License-Identifier: Apache-2.0
// What to run: default sizes, command-line lists, or the shapes of a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gk/machine.hpp"
#include "gk/model.hpp"
#include "gk/problem.hpp"

namespace gk {

enum class Preset : std::uint8_t { kBrief, kQuick, kDefault, kFull };

std::string_view name_of(Preset preset);
std::optional<Preset> parse_preset(std::string_view name);

// One --gk_shape: the axes that it fixes. An op takes a shape when it knows all its axes.
using Shape = std::vector<Axis>;

// The integer value of an axis, if the shape fixes it.
std::optional<std::int64_t> integer(const Shape& shape, std::string_view axis);
// The word of an axis, if the shape fixes it.
std::optional<std::string> word(const Shape& shape, std::string_view axis);
// True when every axis of the shape is among `known`.
bool only_has(const Shape& shape, const std::vector<std::string_view>& known);

// Everything that decides which problems exist. Lists left empty mean the preset's own.
struct Sweep {
  Preset preset = Preset::kDefault;
  Model model;                        // the layers that decode and prefill sweep
  bool model_given = false;           // --gk_model was on the command line
  std::vector<DType> dtypes;          // --gk_dtype
  std::vector<std::int64_t> batches;  // --gk_batch
  std::vector<std::int64_t> tokens;   // --gk_tokens
  std::vector<Shape> shapes;          // --gk_shape; then nothing else is swept
  std::vector<CacheLevel> levels;     // of the device; empty: those of this machine's CPU

  // The lists after the preset has filled in what the command line left open.
  std::vector<DType> effective_dtypes() const;
  std::vector<std::int64_t> effective_batches() const;
  // The model's layers that this preset sweeps. (Problems that turn out equal are merged later.)
  std::vector<Layer> effective_layers() const;
  // brief takes three of a family: the first, the middle and the last; else all.
  template <class P>
  std::vector<P> trimmed(std::vector<P> problems) const {
    if (preset != Preset::kBrief || !shapes.empty() || problems.size() <= 3) return problems;
    return {problems.front(), problems[problems.size() / 2], problems.back()};
  }
};

struct RowsAndCols {
  std::int64_t rows, cols;
};

// The shapes that fix rows and cols and nothing else; without any shape, each of `rows` with each
// of `cols`.
std::vector<RowsAndCols> rows_by_cols(const Sweep& sweep, const std::vector<std::int64_t>& rows,
                                      const std::vector<std::int64_t>& cols);
// The same for activations: a few to many rows of the model's widths, or of usual ones.
std::vector<RowsAndCols> rows_by_cols(const Sweep& sweep);

}  // namespace gk
