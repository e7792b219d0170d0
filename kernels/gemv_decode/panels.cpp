// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemv_decode/panels.hpp"

namespace gk::gemv_decode {
namespace {

// Transposes 64 rows of 16 words: reads whole cache lines, writes 4 KiB in one piece.
void pack_block(const Panels& panels, const Tensor& w, std::int64_t panel, std::int64_t first,
                std::uint32_t* to) {
  const std::int64_t count = std::min(kTileWords, panels.words() - first);
  for (std::int64_t column = 0; column < kPanelWidth; ++column) {
    std::uint32_t words[kTileWords] = {};
    const std::int64_t row = panel * kPanelWidth + column;
    if (row < panels.n) copy_words(w, row, first, count, words);
    for (std::int64_t i = 0; i < count; ++i) to[i * kPanelWidth + column] = words[i];
  }
}

}  // namespace

void pack(const Panels& panels, const Tensor& w, std::uint32_t* packed) {
#pragma omp parallel for schedule(static)
  for (std::int64_t panel = 0; panel < panels.count(); ++panel) {
    std::uint32_t* to = packed + panel * panels.panel_words();
    for (std::int64_t first = 0; first < panels.words(); first += kTileWords) {
      pack_block(panels, w, panel, first, to + first * kPanelWidth);
    }
  }
}

}  // namespace gk::gemv_decode
