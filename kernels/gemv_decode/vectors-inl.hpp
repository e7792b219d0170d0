// SPDX-License-Identifier: Apache-2.0
// A panel times tokens with vector instructions; compiled once per Highway target.
#if defined(GK_KERNELS_GEMV_DECODE_VECTORS_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef GK_KERNELS_GEMV_DECODE_VECTORS_INL_HPP_
#undef GK_KERNELS_GEMV_DECODE_VECTORS_INL_HPP_
#else
#define GK_KERNELS_GEMV_DECODE_VECTORS_INL_HPP_
#endif

#include <hwy/highway.h>

#include "kernels/gemv_decode/panels.hpp"
#include "kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace gk::gemv_decode::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = gk::HWY_NAMESPACE;

// Sums kept in registers: 16 of 32 where a vector has 16 lanes, else 8 of 16.
constexpr std::int64_t kSums = simd::kLanes >= 16 ? 16 : 8;
constexpr std::int64_t kPanelVectors = kPanelWidth / simd::kLanes;
// Of a panel, read again by the next tokens: 16 KiB stay in L1.
constexpr std::int64_t kChunkWords = 64;
// The best distances of prefetching on a Xeon, in bytes, for up to two tokens and for more: half
// or twice as much loses 5 to 10 %.
struct Ahead {
  std::int64_t few_tokens, many_tokens;
};
constexpr Ahead kAheadF32{512, 2048}, kAheadBf16{2048, 2048};

struct MultiplyAddF32 {
  static constexpr Ahead kAhead = kAheadF32;
  static HWY_INLINE simd::VF add(simd::VF sum, simd::VU w, simd::VU x) {
    return hn::MulAdd(hn::BitCast(simd::F32(), w), hn::BitCast(simd::F32(), x), sum);
  }
};

struct MultiplyAddBf16 {
  static constexpr Ahead kAhead = kAheadBf16;
  static HWY_INLINE simd::VF add(simd::VF sum, simd::VU w, simd::VU x) {
    return simd::widened_dot(sum, w, x);
  }
};

struct DotBf16 {
  static constexpr Ahead kAhead = kAheadBf16;
  static HWY_INLINE simd::VF add(simd::VF sum, simd::VU w, simd::VU x) {
    return simd::dot_bf16(sum, w, x);
  }
};

// sums += panel * tokens, for kVectors vectors of outputs and kTokens tokens [words][kTokens].
// With several streams, K is cut into as many parts that are read side by side: more independent
// sums where registers allow, and more pages for the hardware's prefetching to follow.
template <class Dot, int kTokens, int kVectors, int kStreams>
HWY_INLINE void add_strip(const std::uint32_t* w, const std::uint32_t* tokens, std::int64_t words,
                          float* sums) {
  const simd::F32 d;
  const simd::U32 du;
  constexpr int kChains = std::min<int>(kStreams, kSums / (kTokens * kVectors));
  simd::VF sum[kChains][kTokens][kVectors];
  for (int s = 0; s < kChains; ++s) {
    for (int t = 0; t < kTokens; ++t) {
      for (int v = 0; v < kVectors; ++v) sum[s][t][v] = hn::Zero(d);
    }
  }
  for (std::int64_t i = 0; i < words; ++i) {
#pragma GCC unroll 4
    for (int s = 0; s < kStreams; ++s) {
      const std::int64_t word = s * words + i;
      const std::uint32_t* row = w + word * kPanelWidth;
      simd::VU x[kTokens];
      for (int t = 0; t < kTokens; ++t) x[t] = hn::Set(du, tokens[word * kTokens + t]);
      for (int v = 0; v < kVectors; ++v) {
        simd::prefetch(row + v * simd::kLanes,
                       kTokens <= 2 ? Dot::kAhead.few_tokens : Dot::kAhead.many_tokens);
        const simd::VU weights = hn::LoadU(du, row + v * simd::kLanes);
        for (int t = 0; t < kTokens; ++t) {
          simd::VF& mine = sum[s % kChains][t][v];
          mine = Dot::add(mine, weights, x[t]);
        }
      }
    }
  }
  for (int t = 0; t < kTokens; ++t) {
    for (int v = 0; v < kVectors; ++v) {
      float* to = sums + t * kPanelWidth + v * simd::kLanes;
      simd::VF total = hn::LoadU(d, to);
      for (int s = 0; s < kChains; ++s) total = hn::Add(total, sum[s][t][v]);
      hn::StoreU(total, d, to);
    }
  }
}

// The whole width of a panel, as strips that fit the registers.
template <class Dot, int kTokens, bool kSplit>
void add_panel(const std::uint32_t* w, const std::uint32_t* tokens, std::int64_t words,
               float* sums) {
  constexpr int kVectors = std::min(kPanelVectors, kSums / kTokens);
  constexpr int kStreams = kSplit ? 4 : 1;
  const std::int64_t part = words / kStreams, rest = part * kStreams;
  for (std::int64_t column = 0; column < kPanelWidth; column += kVectors * simd::kLanes) {
    add_strip<Dot, kTokens, kVectors, kStreams>(w + column, tokens, part, sums + column);
    add_strip<Dot, kTokens, kVectors, 1>(w + rest * kPanelWidth + column, tokens + rest * kTokens,
                                         words - rest, sums + column);
  }
}

// Tokens are taken by fours, then two, then one.
constexpr std::int64_t group_of(std::int64_t left) { return left >= 4 ? 4 : left >= 2 ? 2 : 1; }

// Tokens as words: [group][words][tokens of the group].
inline void pack_groups(const Panels& panels, const Tensor& x, std::uint32_t* to) {
  for (std::int64_t first = 0; first < x.rows; first += group_of(x.rows - first)) {
    const std::int64_t group = group_of(x.rows - first);
    for (std::int64_t t = 0; t < group; ++t) {
      for (std::int64_t word = 0; word < panels.words(); word += kTileWords) {
        std::uint32_t words[kTileWords];
        const std::int64_t count = std::min(kTileWords, panels.words() - word);
        copy_words(x, first + t, word, count, words);
        for (std::int64_t i = 0; i < count; ++i) to[(word + i) * group + t] = words[i];
      }
    }
    to += panels.words() * group;
  }
}

template <class Dot, bool kSplit>
void add_group(std::int64_t group, const std::uint32_t* w, const std::uint32_t* tokens,
               std::int64_t words, float* sums) {
  if (group == 4) return add_panel<Dot, 4, kSplit>(w, tokens, words, sums);
  if (group == 2) return add_panel<Dot, 2, kSplit>(w, tokens, words, sums);
  add_panel<Dot, 1, kSplit>(w, tokens, words, sums);
}

// sums [tokens][64], cleared by the caller: the panel times the packed tokens.
template <class Dot>
void multiply_vectors(const Panels& panels, const std::uint32_t* panel, const std::uint32_t* packed,
                      std::int64_t tokens, float* sums) {
  const std::int64_t words = panels.words();
  if (group_of(tokens) == tokens) return add_group<Dot, true>(tokens, panel, packed, words, sums);
  for (std::int64_t first = 0; first < words; first += kChunkWords) {
    const std::int64_t count = std::min(kChunkWords, words - first);
    for (std::int64_t t = 0; t < tokens; t += group_of(tokens - t)) {
      const std::int64_t group = group_of(tokens - t);
      add_group<Dot, false>(group, panel + first * kPanelWidth, packed + t * words + first * group,
                            count, sums + t * kPanelWidth);
    }
  }
}

}  // namespace gk::gemv_decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard, once per target
