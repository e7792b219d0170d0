// SPDX-License-Identifier: Apache-2.0
// Vector steps that several kernels share; compiled once per Highway target.
// Memory is read as 32-bit words: one f32, or two neighbouring bf16 (the even one in the lower
// half), so that both dtypes load and store full vectors and need no shuffle.
#if defined(GK_KERNELS_SIMD_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef GK_KERNELS_SIMD_INL_HPP_
#undef GK_KERNELS_SIMD_INL_HPP_
#else
#define GK_KERNELS_SIMD_INL_HPP_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "gk/dtype.hpp"

HWY_BEFORE_NAMESPACE();
namespace gk::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using U32 = hn::ScalableTag<std::uint32_t>;
using VF = hn::Vec<F32>;
using VU = hn::Vec<U32>;

constexpr std::int64_t kLanes = HWY_LANES(float);

HWY_INLINE VF even_of(VU words) { return hn::BitCast(F32(), hn::ShiftLeft<16>(words)); }
HWY_INLINE VF odd_of(VU words) {
  return hn::BitCast(F32(), hn::And(words, hn::Set(U32(), 0xffff0000U)));
}

// sum + a b over each word's pair of bf16.
HWY_INLINE VF widened_dot(VF sum, VU a, VU b) {
  sum = hn::MulAdd(even_of(a), even_of(b), sum);
  return hn::MulAdd(odd_of(a), odd_of(b), sum);
}

// The same by vdpbf16ps, which takes denormals for zero; missing in Highway 1.0.3. As assembly it
// needs no target of its own, but callers ask cpu_has(Isa::kAvx512Bf16) first.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
HWY_INLINE VF dot_bf16(VF sum, VU a, VU b) {
  asm("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  return sum;
}
#else
HWY_INLINE VF dot_bf16(VF sum, VU a, VU b) { return widened_dot(sum, a, b); }
#endif

// Two vectors rounded to bf16 and packed into words: to nearest, ties away from zero, one addition
// where ties to even would take four. A NaN that comes from bf16 operands has an empty lower half,
// so that the addition cannot carry it into infinity.
HWY_INLINE VU packed_bf16(VF even, VF odd) {
  const U32 d;
  const VU half = hn::Set(d, 0x8000U);
  const VU low = hn::ShiftRight<16>(hn::Add(hn::BitCast(d, even), half));
  const VU high = hn::Add(hn::BitCast(d, odd), half);
  return hn::Or(low, hn::And(high, hn::Set(d, 0xffff0000U)));
}

// 2^f for f in [0, 1]: the relative minimax polynomial (7.5e-8), found by Lawson's iteration.
HWY_INLINE VF exp2_of_fraction(VF f) {
  const F32 d;
  VF p = hn::Set(d, 0.00187757667F);
  p = hn::MulAdd(p, f, hn::Set(d, 0.00898934034F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.0558263176F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.240153617F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.693153073F));
  return hn::MulAdd(p, f, hn::Set(d, 0.999999925F));
}

// 2^t for t <= 125; what is too small becomes (nearly) 0.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
// Two instructions where the portable form takes seven: a GELU in bf16 is 20 % faster.
HWY_INLINE VF exp2_of(VF t) {
  const VF f{_mm512_reduce_ps(t.raw, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
  // p * 2^floor(t). All lanes are on: g++ 12 warns of the form without a mask (uninitialised).
  return VF{_mm512_maskz_scalef_ps(0xffff, exp2_of_fraction(f).raw, t.raw)};
}
#else
// Adding 1.5 * 2^23 leaves a whole number in the low bits, from where it goes to the exponent.
HWY_INLINE VF exp2_of(VF t) {
  const F32 d;
  const VF bounded = hn::Max(t, hn::Set(d, -125.0F));
  const VF shift = hn::Set(d, 12582912.0F);
  const VF floor = hn::Add(hn::Sub(bounded, hn::Set(d, 0.5F)), shift);
  const VF p = exp2_of_fraction(hn::Sub(bounded, hn::Sub(floor, shift)));
  const VU exponent = hn::ShiftLeft<23>(hn::BitCast(U32(), floor));
  return hn::BitCast(d, hn::Add(hn::BitCast(U32(), p), exponent));
}
#endif

// 1 / v where both are normal numbers. A division takes 16 cycles a vector, which made GELU bound
// by it; x86's estimate has 12 bits or more, and one step of Newton doubles them.
HWY_INLINE VF reciprocal_of(VF v) {
  const F32 d;
  const VF estimate = hn::ApproximateReciprocal(v);
  return hn::MulAdd(estimate, hn::NegMulAdd(v, estimate, hn::Set(d, 1.0F)), estimate);
}

// GELU in its tanh form, as v / (1 + exp(-2 z)) with z = sqrt(2/pi) (v + 0.044715 v^3): the same
// function with one exponential and one reciprocal. NaN comes through the factor v.
HWY_INLINE VF gelu_of(VF v) {
  const F32 d;
  const VF linear = hn::Set(d, -2.302208198F);  // -2 sqrt(2/pi) log2(e)
  const VF cubic = hn::Set(d, -0.102943240F);   // 0.044715 times that
  const VF t = hn::Mul(v, hn::MulAdd(hn::Mul(v, v), cubic, linear));
  const VF power = exp2_of(hn::Min(t, hn::Set(d, 125.0F)));
  return hn::Mul(v, reciprocal_of(hn::Add(hn::Set(d, 1.0F), power)));
}

// Elements of T in one vector of words.
template <class T>
constexpr std::int64_t kElements = kLanes * 4 / static_cast<std::int64_t>(sizeof(T));

// Any alignment.
HWY_INLINE VU load_words(const void* p) {
  return hn::LoadU(U32(), static_cast<const std::uint32_t*>(p));
}
HWY_INLINE void store_words(VU words, void* p) {
  hn::StoreU(words, U32(), static_cast<std::uint32_t*>(p));
}

// Asks for the line `bytes` past p. It may lie outside of any tensor: a prefetch cannot fault. The
// barrier (no instruction) keeps the request in front of the loads that follow in the source:
// moved behind them by the compiler's scheduling, it costs a stream up to 15 %.
HWY_INLINE void prefetch(const void* p, std::int64_t bytes) {
  hwy::Prefetch(static_cast<const std::byte*>(p) + bytes);
  asm volatile("" ::: "memory");
}

// Stores around the caches: the line is not read first. Needs an aligned address, and
// hwy::FlushStream() before another thread looks.
HWY_INLINE void stream_words(VU words, void* p) {
  hn::Stream(words, U32(), static_cast<std::uint32_t*>(p));
}

// f over vectors of f32 made from the elements at p..., as words of the same dtype.
template <class T, class F, class... Words>
HWY_INLINE VU map_words(F f, Words... words) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return hn::BitCast(U32(), f(hn::BitCast(F32(), words)...));
  } else {
    return packed_bf16(f(even_of(words)...), f(odd_of(words)...));
  }
}

}  // namespace gk::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard, once per target
