// SPDX-License-Identifier: Apache-2.0
// Bound by the multiply-add units: independent chains of accumulators, all operands in registers.
#include <algorithm>

#include "gk/machine.hpp"
#include "gk/registry.hpp"
#include "kernels/ceiling_peak/problem.hpp"
#include "kernels/ceiling_peak/tiles.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ceiling_peak/cpu_fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace gk::ceiling_peak {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = gk::HWY_NAMESPACE;

// Chains at once: where there are 16 registers, half of them.
constexpr int kGroup = simd::kLanes >= 16 ? kChains : kChains / 2;

struct MultiplyAddF32 {
  static HWY_INLINE simd::VF add(simd::VF sum, simd::VU a, simd::VU b) {
    return hn::MulAdd(hn::BitCast(simd::F32(), a), hn::BitCast(simd::F32(), b), sum);
  }
};

// The compiler widens the operands once, before the steps.
struct MultiplyAddBf16 {
  static HWY_INLINE simd::VF add(simd::VF sum, simd::VU a, simd::VU b) {
    return simd::widened_dot(sum, a, b);
  }
};

struct DotBf16 {
  static HWY_INLINE simd::VF add(simd::VF sum, simd::VU a, simd::VU b) {
    return simd::dot_bf16(sum, a, b);
  }
};

// kSteps products for one vector of lanes, in chains [kFirst, kFirst + kGroup). The sums stay in
// registers as long as all three loops over them are unrolled.
template <class Step, int kFirst>
HWY_INLINE void group_round(const std::uint32_t* a, const std::uint32_t* b, float* y) {
  simd::VU left[kLeft], right[kRight];
  for (int i = 0; i < kLeft; ++i) left[i] = simd::load_words(a + i * kLanes);
  for (int i = 0; i < kRight; ++i) right[i] = simd::load_words(b + i * kLanes);
  simd::VF sum[kGroup];
#pragma GCC unroll 20
  for (int i = 0; i < kGroup; ++i) sum[i] = hn::Zero(simd::F32());
  for (std::int64_t step = 0; step < kSteps; ++step) {
#pragma GCC unroll 20
    for (int i = 0; i < kGroup; ++i) {
      const int chain = kFirst + i;
      sum[i] = Step::add(sum[i], left[chain % kLeft], right[chain / kLeft]);
    }
  }
#pragma GCC unroll 20
  for (int i = 0; i < kGroup; ++i) hn::StoreU(sum[i], simd::F32(), y + (kFirst + i) * kLanes);
}

template <class Step>
HWY_NOINLINE void vector_round(const void* a, const void* b, float* y) {
  const auto* left = static_cast<const std::uint32_t*>(a);
  const auto* right = static_cast<const std::uint32_t*>(b);
  for (std::int64_t lane = 0; lane < kLanes; lane += simd::kLanes) {
    group_round<Step, 0>(left + lane, right + lane, y + lane);
    if constexpr (kGroup < kChains) {
      group_round<Step, kGroup>(left + lane, right + lane, y + lane);
    }
  }
}

// All rounds, shared among the threads; each thread stores to memory of its own.
template <std::int64_t kOutputs, class State>
void all_rounds(void (*round)(const void*, const void*, float*), const void* a, const void* b,
                float* y) {
#pragma omp parallel
  {
    [[maybe_unused]] const State state;
    alignas(64) float mine[kOutputs];
#pragma omp for schedule(static) nowait
    for (std::int64_t i = 0; i < kRounds; ++i) round(a, b, mine);
#pragma omp master
    std::copy_n(mine, kOutputs, y);
  }
}

struct Stateless {};

void run(Instruction instruction, const void* a, const void* b, float* y) {
  constexpr std::int64_t kVectors = kChains * kLanes;
  switch (instruction) {
    case Instruction::kMultiplyAddF32:
      return all_rounds<kVectors, Stateless>(vector_round<MultiplyAddF32>, a, b, y);
    case Instruction::kMultiplyAddBf16:
      return all_rounds<kVectors, Stateless>(vector_round<MultiplyAddBf16>, a, b, y);
    case Instruction::kDotBf16:
      return all_rounds<kVectors, Stateless>(vector_round<DotBf16>, a, b, y);
    case Instruction::kTiles:
      return all_rounds<kMatrix * kMatrix, amx::FullTiles>(tile_round, a, b, y);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gk::ceiling_peak
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gk::ceiling_peak {
namespace {

HWY_EXPORT(run);

Plan plan(const CeilingPeak& problem, Instruction instruction, std::string detail) {
  return {.detail = std::move(detail), .bind = [=](Arena& arena) -> Launch {
            const auto set = problem.operands(arena);
            void* b = set.b.data;
            if (instruction == Instruction::kTiles) {
              b = arena.packed(set.b.bytes());
              pack_right(set.b.as<Bf16>(), static_cast<Bf16*>(b));
            }
            return [=, a = set.a.data, y = set.y.as<float>()](Stream) {
              HWY_DYNAMIC_DISPATCH(run)(instruction, a, b, y);
            };
          }};
}

std::vector<Plan> plans(const CeilingPeak& problem) {
  if (problem.unit == Unit::kMatrix) {
    if (cpu_has(Isa::kAmxBf16)) return {plan(problem, Instruction::kTiles, "AMX, 2 x 2 tiles")};
    throw Unsupported("this CPU has no matrix unit for bf16 that the system grants (AMX_BF16)");
  }
  if (problem.dtype == DType::kF32) {
    return {plan(problem, Instruction::kMultiplyAddF32, "multiply-adds")};
  }
  std::vector<Plan> made = {
      plan(problem, Instruction::kMultiplyAddBf16, "multiply-adds of widened operands")};
  if (cpu_has(Isa::kAvx512Bf16)) {
    made.push_back(plan(problem, Instruction::kDotBf16, "vdpbf16ps"));
  }
  return made;
}

const Implementation<CeilingPeak> registration{"cpu_fused", DeviceKind::kCpu, plans};

}  // namespace
}  // namespace gk::ceiling_peak
#endif  // HWY_ONCE
