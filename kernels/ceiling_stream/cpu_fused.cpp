// SPDX-License-Identifier: Apache-2.0
// The ceiling that percentages are divided by: nothing but loads, one operation, and stores. Plans
// differ in what feeds the memory system: streams side by side (each has its own hardware
// prefetching), software prefetching, and stores around the caches.
#include <omp.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "gk/registry.hpp"
#include "kernels/ceiling_stream/setup.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ceiling_stream/cpu_fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace gk::ceiling_stream {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = gk::HWY_NAMESPACE;

constexpr int kRowVectors = kColumns / simd::kLanes;
// Rows of maxima, so that 16 chains hide the latency of a maximum where registers allow.
constexpr int kChains = std::max(1, 16 / kRowVectors);

// Calls step.row(stream, first element) for all rows of [begin, end): block by block, the block's
// parts side by side, then what is left over.
template <Variant kVariant, class Step>
HWY_INLINE void walk(Step& step, std::int64_t begin, std::int64_t end) {
  for (; begin < end; begin += std::min(kVariant.block, end - begin)) {
    const std::int64_t size = std::min(kVariant.block, end - begin);
    const std::int64_t part = size / kColumns / kVariant.streams * kColumns;
    for (std::int64_t at = begin; at < begin + part; at += kColumns) {
#pragma GCC unroll 4
      for (int stream = 0; stream < kVariant.streams; ++stream) {
        step.row(stream, at + stream * part);
      }
    }
    for (std::int64_t at = begin + kVariant.streams * part; at < begin + size; at += kColumns) {
      step.row(0, at);
    }
  }
}

// `zero` is a value that the compiler cannot know, or it would remove the additions.
template <int kAdditions>
HWY_INLINE simd::VF idle(simd::VF v, simd::VF zero) {
  for (int i = 0; i < kAdditions; ++i) v = hn::Add(v, zero);
  return v;
}

// None at all where caches are streamed: a prefetch takes the slot of a load.
template <int kAheadBytes>
HWY_INLINE void prefetch(const float* p) {
  if constexpr (kAheadBytes > 0) simd::prefetch(p, kAheadBytes);
}

template <Variant kVariant>
struct Maximum {
  const float* x;
  simd::VF zero;
  simd::VF most[kChains][kRowVectors];

  HWY_INLINE void row(int stream, std::int64_t at) {
    for (int v = 0; v < kRowVectors; ++v) {
      const float* p = x + at + v * simd::kLanes;
      prefetch<kVariant.ahead_bytes>(p);
      simd::VF& mine = most[stream % kChains][v];
      mine = hn::Max(mine, idle<kVariant.idle>(hn::LoadU(simd::F32(), p), zero));
    }
  }
};

// Maxima over [begin, end) of the stream, merged into `maxima`.
template <Variant kVariant>
void read_part(const Call& call, std::int64_t begin, std::int64_t end) {
  const simd::F32 d;
  Maximum<kVariant> step{.x = call.read[0], .zero = hn::Set(d, call.setup->zero), .most = {}};
  for (auto& chain : step.most) {
    for (simd::VF& v : chain) v = hn::Set(d, -std::numeric_limits<float>::infinity());
  }
  for (std::int64_t pass = 0; pass < call.setup->problem.passes(); ++pass) {
    walk<kVariant>(step, begin, end);
  }
#pragma omp critical
  for (int v = 0; v < kRowVectors; ++v) {
    float* to = call.written[0] + v * simd::kLanes;
    simd::VF total = hn::LoadU(d, to);
    for (int chain = 0; chain < kChains; ++chain) total = hn::Max(total, step.most[chain][v]);
    hn::StoreU(total, d, to);
  }
}

template <int kReads, int kWrites, Variant kVariant>
struct Sum {
  const Call& call;
  simd::VF zero;

  HWY_INLINE void row(int /*stream*/, std::int64_t at) {
    const simd::F32 d;
    for (std::int64_t i = at; i < at + kColumns; i += simd::kLanes) {
      prefetch<kVariant.ahead_bytes>(call.read[0] + i);
      if constexpr (kReads == 2) prefetch<kVariant.ahead_bytes>(call.read[1] + i);
      simd::VF sum = hn::LoadU(d, call.read[0] + i);
      if constexpr (kReads == 2) sum = hn::Add(sum, hn::LoadU(d, call.read[1] + i));
      sum = idle<kVariant.idle>(sum, zero);
      for (int w = 0; w < kWrites; ++w) {
        if constexpr (kVariant.stores == Stores::kPlain) {
          hn::StoreU(sum, d, call.written[w] + i);
        } else {
          hn::Stream(sum, d, call.written[w] + i);
        }
      }
    }
  }
};

template <int kReads, int kWrites, Variant kVariant>
void write_part(const Call& call, std::int64_t begin, std::int64_t end) {
  Sum<kReads, kWrites, kVariant> step{call, hn::Set(simd::F32(), call.setup->zero)};
  for (std::int64_t pass = 0; pass < call.setup->problem.passes(); ++pass) {
    walk<kVariant>(step, begin, end);
    if constexpr (kVariant.stores != Stores::kPlain) hwy::FlushStream();
  }
}

using Part = void (*)(const Call&, std::int64_t begin, std::int64_t end);

template <std::size_t... kIndex>
Part reading(std::size_t variant, std::index_sequence<kIndex...> /*all*/) {
  constexpr Part kParts[] = {read_part<kReading[kIndex]>...};
  return kParts[variant];
}

template <int kReads, int kWrites, std::size_t... kIndex>
Part writing(std::size_t variant, std::index_sequence<kIndex...> /*all*/) {
  constexpr Part kParts[] = {write_part<kReads, kWrites, kWriting[kIndex]>...};
  return kParts[variant];
}

Part part_of(const Setup& setup) {
  const auto [reads, writes] = std::pair(setup.problem.reads, setup.problem.writes);
  constexpr std::make_index_sequence<std::size(kWriting)> kAll;
  if (writes == 0) {
    return reading(setup.variant, std::make_index_sequence<std::size(kReading)>());
  }
  if (reads == 1 && writes == 1) return writing<1, 1>(setup.variant, kAll);
  if (reads == 2 && writes == 1) return writing<2, 1>(setup.variant, kAll);
  if (reads == 1) return writing<1, 2>(setup.variant, kAll);
  return writing<2, 2>(setup.variant, kAll);
}

void run(const Call& call) {
  const std::int64_t height = call.setup->problem.height;
  const Part part = part_of(*call.setup);
  if (call.setup->problem.writes == 0) std::copy_n(call.read[0], kColumns, call.written[0]);
#pragma omp parallel
  {
    const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const std::int64_t begin = height * thread / threads * kColumns;
    const std::int64_t end = height * (thread + 1) / threads * kColumns;
    part(call, begin, end);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gk::ceiling_stream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gk::ceiling_stream {
namespace {

HWY_EXPORT(run);

std::string detail_of(const Variant& variant) {
  std::string text = variant.stores == Stores::kPlain ? "plain" : "non-temporal stores";
  text += ", " + std::to_string(variant.streams) + " streams";
  if (variant.block == kNear) text += " 128 KiB apart";
  text += ", prefetch " + std::to_string(variant.ahead_bytes) + " B ahead";
  return text + (variant.idle > 0 ? ", paced" : "");
}

Plan plan(const CeilingStream& problem, std::size_t variant, std::string detail) {
  const auto setup = std::make_shared<const Setup>(Setup{.problem = problem, .variant = variant});
  return {.detail = std::move(detail), .bind = [setup](Arena& arena) -> Launch {
            const auto set = setup->problem.operands(arena);
            const Call call{
                .setup = setup,
                .read = {set.read.front().as<float>(), set.read.back().as<float>()},
                .written = {set.written.front().as<float>(), set.written.back().as<float>()}};
            return [call](Stream) { HWY_DYNAMIC_DISPATCH(run)(call); };
          }};
}

std::vector<Plan> plans(const CeilingStream& problem) {
  const std::span<const Variant> variants =
      problem.writes == 0 ? std::span<const Variant>(kReading) : std::span<const Variant>(kWriting);
  std::vector<Plan> made;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    made.push_back(plan(problem, i, detail_of(variants[i])));
  }
  return made;
}

const Implementation<CeilingStream> registration{"cpu_fused", DeviceKind::kCpu, plans};

}  // namespace
}  // namespace gk::ceiling_stream
#endif  // HWY_ONCE
