// SPDX-License-Identifier: Apache-2.0
// Weights repacked into panels of 64 outputs: [ceil(n / 64)][words][64], where a word is one f32
// or the two bf16 of an even and an odd k. A panel is one sequential stream, and a vector of it
// belongs to neighbouring outputs, so that no sum runs across lanes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "gk/tensor.hpp"
#include "kernels/gemv_decode/problem.hpp"

namespace gk::gemv_decode {

constexpr std::int64_t kPanelWidth = 64;
constexpr std::int64_t kTileWords = 16;  // words of k that a matrix instruction takes at once

struct Panels {
  DType dtype;
  std::int64_t n, k;

  std::int64_t count() const { return (n + kPanelWidth - 1) / kPanelWidth; }
  // Of one row; bf16 is padded with zeros to whole tiles.
  std::int64_t words() const {
    if (dtype == DType::kF32) return k;
    return (k + 2 * kTileWords - 1) / (2 * kTileWords) * kTileWords;
  }
  std::int64_t panel_words() const { return words() * kPanelWidth; }
  std::int64_t bytes() const { return count() * panel_words() * 4; }
};

// How the sums are made: f32 multiply-adds, vdpbf16ps, or AMX tiles.
enum class Product : std::uint8_t { kMultiplyAdd, kDot, kTiles };

// What the launches of one plan share.
struct Setup {
  GemvDecode problem;
  Panels panels;
  Product product;
};

// `count` words of row `row` of `matrix` from word `first` on, zero past the row's end.
inline void copy_words(const Tensor& matrix, std::int64_t row, std::int64_t first,
                       std::int64_t count, std::uint32_t* to) {
  const std::int64_t row_bytes = bytes_of(matrix.dtype, matrix.cols);
  const std::int64_t there = std::clamp<std::int64_t>(row_bytes - first * 4, 0, count * 4);
  const auto* from = matrix.as<const std::byte>() + row * row_bytes + first * 4;
  std::memcpy(to, from, static_cast<std::size_t>(there));
  std::memset(reinterpret_cast<std::byte*>(to) + there, 0,
              static_cast<std::size_t>(count * 4 - there));
}

// Repacks w [n, k] in parallel.
void pack(const Panels& panels, const Tensor& w, std::uint32_t* packed);

}  // namespace gk::gemv_decode
