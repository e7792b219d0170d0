// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/sanity.hpp"

#include "gk/text.hpp"

namespace gk::measure {
namespace {

// Per thread, with room above any announced core: 8 GHz; four 64-byte accesses, four 512-bit
// multiply-adds (f32: 16 lanes; bf16: 32 products), or two 16 x 16 x 32 tiles in 16 cycles.
constexpr double kMostHz = 8e9;
constexpr double kMostBytesPerCycle = 4 * 64;
constexpr double kMostF32PerCycle = 4 * 16 * 2;
constexpr double kMostBf16PerCycle = 4 * 32 * 2;
constexpr double kMostTilePerCycle = 2.0 * 16 * 16 * 32 * 2 / 16;
// No memory of a machine that runs this is slower than 0.1 GB/s, no core than 0.1 GFLOP/s.
constexpr double kLeastPerS = 1e8;
constexpr double kLevelSlack = 0.95;

double most_per_cycle(const Case& ceiling) {
  if (ceiling.op == "ceiling_stream") return kMostBytesPerCycle;
  if (ceiling.work.unit == Unit::kMatrix) return kMostTilePerCycle;
  return ceiling.dtype == DType::kF32 ? kMostF32PerCycle : kMostBf16PerCycle;
}

}  // namespace

std::string implausible(const Case& ceiling, double per_s, int threads) {
  const double most = most_per_cycle(ceiling) * kMostHz * threads;
  const char* unit = ceiling.op == "ceiling_stream" ? " GB/s" : " GFLOP/s";
  const std::string shown = fixed(per_s / 1e9, 1) + unit + " is ";
  if (per_s > most) {
    return shown + "above " + fixed(most / 1e9, 0) + unit + ", more than " +
           std::to_string(threads) + " threads of any CPU reach: the loop was optimised away";
  }
  if (!(per_s >= kLeastPerS)) return shown + "less than any machine's: the loop did something else";
  return "";
}

std::string slower_than_next(double per_s, const std::string& next, double larger_per_s) {
  if (per_s >= kLevelSlack * larger_per_s) return "";
  return fixed(per_s / 1e9, 1) + " GB/s is below the " + fixed(larger_per_s / 1e9, 1) +
         " GB/s of the larger " + next;
}

}  // namespace gk::measure
