// SPDX-License-Identifier: Apache-2.0
// The matrix unit's round, with AMX.
#pragma once

#include <cstdint>

#include "gk/dtype.hpp"
#include "kernels/amx.hpp"
#include "kernels/ceiling_peak/problem.hpp"

namespace gk::ceiling_peak {

// Rearranges b [32, 32] into two tiles [16 pairs of k][16 columns][2], the form of the right
// operand.
inline void pack_right(const Bf16* b, Bf16* tiles) {
  for (std::int64_t tile = 0; tile < 2; ++tile) {
    for (std::int64_t k = 0; k < kMatrix; ++k) {
      for (std::int64_t column = 0; column < 16; ++column) {
        tiles[tile * 512 + k / 2 * 32 + column * 2 + k % 2] = b[(tile * 16 + column) * kMatrix + k];
      }
    }
  }
}

// 2 x 2 accumulators from 2 + 2 operands fill the 8 tiles; 4 chains of 16 cycles each hide the
// latency of 52.
__attribute__((target("amx-tile,amx-bf16"), noinline)) inline void tile_round(const void* a,
                                                                              const void* b,
                                                                              float* y) {
  constexpr int kYStride = kMatrix * 4;  // bytes
  const auto* left = static_cast<const std::byte*>(a);
  const auto* right = static_cast<const std::byte*>(b);
  _tile_loadd(4, left, amx::kRowBytes);
  _tile_loadd(5, left + 1024, amx::kRowBytes);
  _tile_loadd(6, right, amx::kRowBytes);
  _tile_loadd(7, right + 1024, amx::kRowBytes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::int64_t step = 0; step < kSteps; ++step) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, y, kYStride);
  _tile_stored(1, y + 16, kYStride);
  _tile_stored(2, y + 16 * kMatrix, kYStride);
  _tile_stored(3, y + 16 * kMatrix + 16, kYStride);
}

}  // namespace gk::ceiling_peak
