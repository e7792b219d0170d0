// SPDX-License-Identifier: Apache-2.0
// The ceiling that percentages are divided by: nothing but loads, one operation, and stores. Plans
// differ in what feeds the memory system: streams side by side (each has its own hardware
// prefetching), software prefetching, and stores around the caches.
#include <omp.h>

#include <algorithm>
#include <limits>
#include <memory>

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

// Calls step.row(stream, first element) for all rows of [begin, end): kStreams equal parts side by
// side, then what is left over.
template <int kStreams, class Step>
HWY_INLINE void walk(Step& step, std::int64_t begin, std::int64_t end) {
  const std::int64_t part = (end - begin) / kColumns / kStreams * kColumns;
  for (std::int64_t at = begin; at < begin + part; at += kColumns) {
#pragma GCC unroll 4
    for (int stream = 0; stream < kStreams; ++stream) step.row(stream, at + stream * part);
  }
  for (std::int64_t at = begin + kStreams * part; at < end; at += kColumns) step.row(0, at);
}

struct Maximum {
  const float* x;
  std::int64_t ahead_bytes;
  simd::VF most[kChains][kRowVectors];

  HWY_INLINE void row(int stream, std::int64_t at) {
    for (int v = 0; v < kRowVectors; ++v) {
      const float* p = x + at + v * simd::kLanes;
      simd::prefetch(p, ahead_bytes);
      simd::VF& mine = most[stream % kChains][v];
      mine = hn::Max(mine, hn::LoadU(simd::F32(), p));
    }
  }
};

// Maxima over [begin, end) of the stream, merged into `maxima`.
template <int kStreams>
void read_part(const Call& call, std::int64_t begin, std::int64_t end) {
  const simd::F32 d;
  Maximum step{.x = call.read[0], .ahead_bytes = call.setup->ahead_bytes, .most = {}};
  for (auto& chain : step.most) {
    for (simd::VF& v : chain) v = hn::Set(d, -std::numeric_limits<float>::infinity());
  }
  walk<kStreams>(step, begin, end);
#pragma omp critical
  for (int v = 0; v < kRowVectors; ++v) {
    float* to = call.written[0] + v * simd::kLanes;
    simd::VF total = hn::LoadU(d, to);
    for (int chain = 0; chain < kChains; ++chain) total = hn::Max(total, step.most[chain][v]);
    hn::StoreU(total, d, to);
  }
}

template <int kReads, int kWrites, bool kNonTemporal>
struct Sum {
  const Call& call;

  HWY_INLINE void row(int /*stream*/, std::int64_t at) {
    const simd::F32 d;
    for (std::int64_t i = at; i < at + kColumns; i += simd::kLanes) {
      simd::VF sum = hn::LoadU(d, call.read[0] + i);
      simd::prefetch(call.read[0] + i, call.setup->ahead_bytes);
      if constexpr (kReads == 2) {
        sum = hn::Add(sum, hn::LoadU(d, call.read[1] + i));
        simd::prefetch(call.read[1] + i, call.setup->ahead_bytes);
      }
      for (int w = 0; w < kWrites; ++w) {
        if constexpr (kNonTemporal) {
          hn::Stream(sum, d, call.written[w] + i);
        } else {
          hn::StoreU(sum, d, call.written[w] + i);
        }
      }
    }
  }
};

template <int kReads, int kWrites, bool kNonTemporal>
void write_part(const Call& call, std::int64_t begin, std::int64_t end) {
  Sum<kReads, kWrites, kNonTemporal> step{call};
  if (call.setup->streams == 1) {
    walk<1>(step, begin, end);
  } else {
    walk<4>(step, begin, end);
  }
  if constexpr (kNonTemporal) hwy::FlushStream();
}

using Part = void (*)(const Call&, std::int64_t begin, std::int64_t end);

template <bool kNonTemporal>
Part writing(const CeilingStream& problem) {
  if (problem.reads == 1 && problem.writes == 1) return write_part<1, 1, kNonTemporal>;
  if (problem.reads == 2 && problem.writes == 1) return write_part<2, 1, kNonTemporal>;
  if (problem.reads == 1) return write_part<1, 2, kNonTemporal>;
  return write_part<2, 2, kNonTemporal>;
}

Part part_of(const Setup& setup) {
  if (setup.problem.writes > 0) {
    return setup.non_temporal ? writing<true>(setup.problem) : writing<false>(setup.problem);
  }
  return setup.streams == 1 ? read_part<1> : setup.streams == 2 ? read_part<2> : read_part<4>;
}

void run(const Call& call) {
  const std::int64_t height = call.setup->problem.height;
  const Part part = part_of(*call.setup);
  if (call.setup->problem.writes == 0) std::copy_n(call.read[0], kColumns, call.written[0]);
  const std::int64_t passes = call.setup->problem.passes();
#pragma omp parallel
  {
    const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const std::int64_t begin = height * thread / threads * kColumns;
    const std::int64_t end = height * (thread + 1) / threads * kColumns;
    for (std::int64_t pass = 0; pass < passes; ++pass) part(call, begin, end);
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

std::string detail_of(const Setup& setup) {
  const std::string stores = setup.non_temporal ? "non-temporal stores" : "plain";
  return stores + ", " + std::to_string(setup.streams) + " streams, prefetch " +
         std::to_string(setup.ahead_bytes) + " B ahead";
}

Plan plan(const Setup& setup) {
  const auto shared = std::make_shared<const Setup>(setup);
  return {.detail = detail_of(setup), .bind = [shared](Arena& arena) -> Launch {
            const auto set = shared->problem.operands(arena);
            const Call call{
                .setup = shared,
                .read = {set.read.front().as<float>(), set.read.back().as<float>()},
                .written = {set.written.front().as<float>(), set.written.back().as<float>()}};
            return [call](Stream) { HWY_DYNAMIC_DISPATCH(run)(call); };
          }};
}

std::vector<Plan> plans(const CeilingStream& problem) {
  const auto with = [&](int streams, std::int64_t ahead_bytes, bool non_temporal) {
    return plan({.problem = problem,
                 .streams = streams,
                 .ahead_bytes = ahead_bytes,
                 .non_temporal = non_temporal});
  };
  if (problem.writes == 0) {
    return {with(1, 0, false), with(1, 512, false), with(2, 512, false), with(4, 512, false)};
  }
  return {with(1, 512, false), with(1, 0, true), with(1, 2048, true), with(4, 512, true)};
}

const Implementation<CeilingStream> registration{"cpu_fused", DeviceKind::kCpu, plans};

}  // namespace
}  // namespace gk::ceiling_stream
#endif  // HWY_ONCE
