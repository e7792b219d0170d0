// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemv_decode/panels.hpp"

namespace gk::gemv_decode {
namespace {

// Of k in one block: 256 contiguous bytes of each row, as memory and its prefetching like it.
constexpr std::int64_t kBlockWords = 64;

using Words4 = std::uint32_t __attribute__((vector_size(16)));

Words4 load(const std::uint32_t* p) {
  Words4 words;
  std::memcpy(&words, p, sizeof(words));
  return words;
}
void store(Words4 words, std::uint32_t* p) { std::memcpy(p, &words, sizeof(words)); }

// from [64][64] to to [64][64], by squares of 4 x 4.
void transpose(const std::uint32_t (*from)[kBlockWords], std::uint32_t (*to)[kPanelWidth]) {
  for (std::int64_t row = 0; row < kPanelWidth; row += 4) {
    for (std::int64_t word = 0; word < kBlockWords; word += 4) {
      const Words4 a = load(&from[row][word]), b = load(&from[row + 1][word]);
      const Words4 c = load(&from[row + 2][word]), d = load(&from[row + 3][word]);
      const Words4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
      const Words4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
      const Words4 ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      const Words4 cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      store(__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), &to[word][row]);
      store(__builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7), &to[word + 1][row]);
      store(__builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), &to[word + 2][row]);
      store(__builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7), &to[word + 3][row]);
    }
  }
}

// Up to 64 words of the panel's 64 rows, of which the next block is asked for meanwhile.
void pack_block(const Panels& panels, const Tensor& w, std::int64_t panel, std::int64_t first,
                std::uint32_t* to) {
  alignas(64) std::uint32_t rows[kPanelWidth][kBlockWords] = {};
  alignas(64) std::uint32_t block[kBlockWords][kPanelWidth];
  const std::int64_t count = std::min(kBlockWords, panels.words() - first);
  const std::int64_t filled = std::min(kPanelWidth, panels.n - panel * kPanelWidth);
  for (std::int64_t row = 0; row < filled; ++row) {
    copy_words(w, panel * kPanelWidth + row, first, count, rows[row]);
    const auto* here = w.as<const std::byte>() +
                       bytes_of(w.dtype, (panel * kPanelWidth + row) * w.cols) + first * 4;
    for (int line = 4; line < 8; ++line) __builtin_prefetch(here + line * 64, 0, 2);
  }
  transpose(rows, block);
  std::memcpy(to, block, static_cast<std::size_t>(count * kPanelWidth * 4));
}

}  // namespace

void pack(const Panels& panels, const Tensor& w, std::uint32_t* packed) {
#pragma omp parallel for schedule(static)
  for (std::int64_t panel = 0; panel < panels.count(); ++panel) {
    std::uint32_t* to = packed + panel * panels.panel_words();
    for (std::int64_t first = 0; first < panels.words(); first += kBlockWords) {
      pack_block(panels, w, panel, first, to + first * kPanelWidth);
    }
  }
}

}  // namespace gk::gemv_decode
