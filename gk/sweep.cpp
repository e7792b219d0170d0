// SPDX-License-Identifier: Apache-2.0
#include "gk/sweep.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gk {
namespace {

constexpr std::array<std::pair<Preset, std::string_view>, 4> kPresets = {
    {{Preset::kBrief, "brief"},
     {Preset::kQuick, "quick"},
     {Preset::kDefault, "default"},
     {Preset::kFull, "full"}}};

const Axis* find(const Shape& shape, std::string_view axis) {
  const auto found = std::ranges::find(shape, axis, &Axis::name);
  return found == shape.end() ? nullptr : &*found;
}

bool is_lm_head(const Layer& layer) { return layer.role == "lm_head"; }

}  // namespace

std::string_view name_of(Preset preset) {
  return std::ranges::find(kPresets, preset, &decltype(kPresets)::value_type::first)->second;
}

std::optional<Preset> parse_preset(std::string_view name) {
  const auto found = std::ranges::find(kPresets, name, &decltype(kPresets)::value_type::second);
  if (found == kPresets.end()) return std::nullopt;
  return found->first;
}

std::optional<std::int64_t> integer(const Shape& shape, std::string_view axis) {
  const Axis* found = find(shape, axis);
  if (found == nullptr || !std::holds_alternative<std::int64_t>(found->value)) return std::nullopt;
  return std::get<std::int64_t>(found->value);
}

std::optional<std::string> word(const Shape& shape, std::string_view axis) {
  const Axis* found = find(shape, axis);
  if (found == nullptr || !std::holds_alternative<std::string>(found->value)) return std::nullopt;
  return std::get<std::string>(found->value);
}

bool only_has(const Shape& shape, const std::vector<std::string_view>& known) {
  return std::ranges::all_of(
      shape, [&](const Axis& axis) { return std::ranges::count(known, axis.name) != 0; });
}

std::vector<DType> Sweep::effective_dtypes() const {
  if (!dtypes.empty()) return dtypes;
  if (preset == Preset::kBrief || preset == Preset::kQuick) return {DType::kBf16};
  return {DType::kF32, DType::kBf16};
}

std::vector<std::int64_t> Sweep::effective_batches() const {
  if (!batches.empty()) return batches;
  if (preset == Preset::kBrief) return {1};
  if (preset == Preset::kQuick) return {1, 8};
  return {1, 2, 4, 8, 16};
}

std::vector<Layer> Sweep::effective_layers() const {
  const bool with_lm_head = preset == Preset::kDefault || preset == Preset::kFull;
  std::vector<Layer> kept = model.layers;
  if (!with_lm_head) std::erase_if(kept, is_lm_head);
  return kept;
}

std::vector<RowsAndCols> rows_by_cols(const Sweep& sweep, const std::vector<std::int64_t>& rows,
                                      const std::vector<std::int64_t>& cols) {
  std::vector<RowsAndCols> all;
  for (const Shape& shape : sweep.shapes) {
    const auto height = integer(shape, "rows"), width = integer(shape, "cols");
    if (height && width && only_has(shape, {"rows", "cols"})) all.push_back({*height, *width});
  }
  if (!sweep.shapes.empty()) return all;
  for (const std::int64_t height : rows) {
    for (const std::int64_t width : cols) all.push_back({height, width});
  }
  return all;
}

std::vector<RowsAndCols> rows_by_cols(const Sweep& sweep) {
  std::vector<std::int64_t> widths = {1024, 4096, 8192, 14336};
  if (sweep.model_given) widths = {sweep.model.hidden, sweep.model.intermediate};
  return rows_by_cols(sweep, {1, 16, 256, 4096}, widths);
}

}  // namespace gk
