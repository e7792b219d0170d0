// SPDX-License-Identifier: Apache-2.0
// One bf16 panel times up to 64 tokens with AMX: per 1 KiB of weights a tile instruction of 16
// cycles for 16 tokens, so that even 64 tokens stay bound by memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gk/tensor.hpp"
#include "kernels/amx.hpp"
#include "kernels/gemv_decode/panels.hpp"

namespace gk::gemv_decode {

constexpr std::int64_t kTileTokens = amx::kRows;
// K is cut so that the panel's part (128 KiB) stays in L2 for the next 16 tokens.
constexpr std::int64_t kTileChunkWords = 512;

// Rows of tokens and sums, rounded up to what the tiles touch.
constexpr std::int64_t padded_tokens(std::int64_t tokens) {
  return (tokens + kTileTokens - 1) / kTileTokens * kTileTokens;
}

// Tokens as left operands: [ceil(batch / 16)][words / 16][16 tokens][16 words], zero-padded.
inline void pack_tiles(const Panels& panels, const Tensor& x, std::uint32_t* to) {
  for (std::int64_t first_token = 0; first_token < x.rows; first_token += kTileTokens) {
    for (std::int64_t first = 0; first < panels.words(); first += kTileWords) {
      for (std::int64_t token = first_token; token < first_token + kTileTokens; ++token) {
        if (token < x.rows) {
          copy_words(x, token, first, kTileWords, to);
        } else {
          std::fill_n(to, kTileWords, 0U);
        }
        to += kTileWords;
      }
    }
  }
}

// One step: 16 words of k, a page of the panel. Its next page is asked for in between.
__attribute__((target("amx-tile,amx-bf16"))) inline void tile_step(const std::uint32_t* w,
                                                                   const std::uint32_t* tokens) {
  constexpr int kStride = kPanelWidth * 4;  // bytes
  const auto prefetch = [next_page = reinterpret_cast<const char*>(w) + 4096](int quarter) {
    for (int line = 0; line < 16; ++line) {
      _mm_prefetch(next_page + (quarter * 16 + line) * 64, _MM_HINT_T0);
    }
  };
  _tile_loadd(4, tokens, amx::kRowBytes);
  prefetch(0);
  _tile_loadd(5, w, kStride);
  _tile_dpbf16ps(0, 4, 5);
  prefetch(1);
  _tile_loadd(6, w + 16, kStride);
  _tile_dpbf16ps(1, 4, 6);
  prefetch(2);
  _tile_loadd(7, w + 32, kStride);
  _tile_dpbf16ps(2, 4, 7);
  prefetch(3);
  _tile_loadd(5, w + 48, kStride);
  _tile_dpbf16ps(3, 4, 5);
}

// sums [16][64] += tokens * panel over `words` of k, which run as 4 streams side by side (15 %
// faster than one: each has its own hardware prefetching).
__attribute__((target("amx-tile,amx-bf16"))) inline void add_tiles(const std::uint32_t* panel,
                                                                   const std::uint32_t* tokens,
                                                                   std::int64_t words,
                                                                   float* sums) {
  constexpr int kStride = kPanelWidth * 4, kStreams = 4;
  const std::int64_t part = words / kTileWords / kStreams * kTileWords;
  _tile_loadd(0, sums, kStride);
  _tile_loadd(1, sums + 16, kStride);
  _tile_loadd(2, sums + 32, kStride);
  _tile_loadd(3, sums + 48, kStride);
  for (std::int64_t i = 0; i < part; i += kTileWords) {
    for (std::int64_t word = i; word < kStreams * part; word += part) {
      tile_step(panel + word * kPanelWidth, tokens + word * kTileTokens);
    }
  }
  for (std::int64_t word = kStreams * part; word < words; word += kTileWords) {
    tile_step(panel + word * kPanelWidth, tokens + word * kTileTokens);
  }
  _tile_stored(0, sums, kStride);
  _tile_stored(1, sums + 16, kStride);
  _tile_stored(2, sums + 32, kStride);
  _tile_stored(3, sums + 48, kStride);
}

// sums [padded tokens][64], cleared by the caller: the panel times `tokens` packed tokens.
inline void multiply_tiles(const Panels& panels, const std::uint32_t* panel,
                           const std::uint32_t* packed, std::int64_t tokens, float* sums) {
  const amx::FullTiles tiles;
  const std::int64_t chunk = tokens <= kTileTokens ? panels.words() : kTileChunkWords;
  for (std::int64_t first = 0; first < panels.words(); first += chunk) {
    const std::int64_t words = std::min(chunk, panels.words() - first);
    for (std::int64_t token = 0; token < tokens; token += kTileTokens) {
      add_tiles(panel + first * kPanelWidth, packed + token * panels.words() + first * kTileTokens,
                words, sums + token * kPanelWidth);
    }
  }
}

}  // namespace gk::gemv_decode
