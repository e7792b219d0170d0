// SPDX-License-Identifier: Apache-2.0
// AMX tiles, by Intel's names (Intel 64 and IA-32 Architectures SDM, "Intel AMX"): 8 registers of
// 16 rows x 64 bytes. Ask cpu_has(Isa::kAmxBf16) before anything here runs.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace gk::amx {

constexpr int kTiles = 8, kRows = 16, kRowBytes = 64;

// The operand of LDTILECFG, palette 1.
struct alignas(64) Config {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

constexpr Config full_config() {
  Config config;
  for (int tile = 0; tile < kTiles; ++tile) {
    config.row_bytes[tile] = kRowBytes;
    config.rows[tile] = kRows;
  }
  return config;
}

// All 8 tiles full-sized while it lives; then the registers are given back, so that a context
// switch need not save 8 KiB. The configuration is static: g++ 12 tells its optimiser that the
// instruction reads 8 bytes of it only, and would not store the rest of a local one.
class FullTiles {
 public:
  __attribute__((target("amx-tile"))) FullTiles() { _tile_loadconfig(&kConfig); }
  __attribute__((target("amx-tile"))) ~FullTiles() { _tile_release(); }
  FullTiles(const FullTiles&) = delete;
  FullTiles& operator=(const FullTiles&) = delete;

 private:
  static constexpr Config kConfig = full_config();
};

}  // namespace gk::amx
