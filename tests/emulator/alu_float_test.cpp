// SPDX-License-Identifier: Apache-2.0
// f32 and f64 arithmetic against the PTX ISA, section 9.7.3, and the host's own rounding.
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

#include "tests/emulator/snippet.hpp"

namespace gk::emulator {
namespace {

using F32 = std::vector<float>;
using F64 = std::vector<double>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kTiny = 0x1p-140F;  // subnormal

std::vector<std::uint32_t> bits_of(const F32& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

TEST(AluFloat, RoundsToNearestUnlessToldOtherwise) {
  const F32 a{1, -1, 1}, b{0x1p-24F, -0x1p-24F, 0x1.8p-24F};
  EXPECT_EQ(run_snippet<float>("add.f32 %o, %a, %b;", a, b), (F32{1, -1, 1 + 0x1p-23F}));
  EXPECT_EQ(run_snippet<float>("add.rz.f32 %o, %a, %b;", a, b), (F32{1, -1, 1}));
  EXPECT_EQ(run_snippet<float>("add.rp.f32 %o, %a, %b;", a, b),
            (F32{1 + 0x1p-23F, -1, 1 + 0x1p-23F}));
  EXPECT_EQ(run_snippet<float>("add.rm.f32 %o, %a, %b;", a, b), (F32{1, -1 - 0x1p-23F, 1}));
  EXPECT_EQ(run_snippet<float>("add.f32 %o, %a, %b;", a, b), (F32{1, -1, 1 + 0x1p-23F}));
  EXPECT_EQ(run_snippet<double>("mul.rp.f64 %o, %a, %a;", F64{1 + 0x1p-52}),
            (F64{1 + 0x1p-51 + 0x1p-52}));
}

TEST(AluFloat, FmaRoundsOnce) {
  const float a = 1 + 0x1p-12F;
  EXPECT_EQ(run_snippet<float>("fma.rn.f32 %o, %a, %a, %b;", F32{a}, F32{-a * a}),
            (F32{std::fma(a, a, -a * a)}));
  EXPECT_EQ(run_snippet<float>("fma.rm.f32 %o, %a, %b, %c;", F32{0x1p-30F}, F32{-1}, F32{1}),
            (F32{1 - 0x1p-24F}));
  EXPECT_EQ(run_snippet<float>("mad.rn.f32 %o, %a, 0f40000000, %b;", F32{3}, F32{1}), (F32{7}));
  const double d = 1 + 0x1p-30;
  EXPECT_EQ(run_snippet<double>("fma.rn.f64 %o, %a, %a, %b;", F64{d}, F64{-1}),
            (F64{std::fma(d, d, -1)}));
}

TEST(AluFloat, FlushesAndSaturates) {
  const F32 a{kTiny, -kTiny, FLT_MIN}, b{0, 0, -FLT_MIN / 2};
  EXPECT_EQ(bits_of(run_snippet<float>("add.f32 %o, %a, %b;", a, b)),
            bits_of({kTiny, -kTiny, FLT_MIN / 2}));
  EXPECT_EQ(bits_of(run_snippet<float>("add.ftz.f32 %o, %a, %b;", a, b)), bits_of({0, 0, FLT_MIN}));
  EXPECT_EQ(bits_of(run_snippet<float>("mul.ftz.f32 %o, %a, 0f3F800000;", a)),
            bits_of({0, -0.0F, FLT_MIN}));
  EXPECT_EQ(bits_of(run_snippet<float>("add.sat.f32 %o, %a, %b;", F32{0.25F, 3, -1, kNan},
                                       F32{0.5F, 0, 0, 0})),
            bits_of({0.75F, 1, 0, 0}));
}

TEST(AluFloat, DivisionRootAndReciprocalAreExactlyRounded) {
  F32 a, b, quotients, roots, reciprocals;
  for (int i = 1; i < 200; ++i) {
    a.push_back(static_cast<float>(i) * 1.37F);
    b.push_back(static_cast<float>(200 - i) * 0.71F);
    quotients.push_back(a.back() / b.back());
    roots.push_back(std::sqrt(a.back()));
    reciprocals.push_back(1 / a.back());
  }
  EXPECT_EQ(run_snippet<float>("div.rn.f32 %o, %a, %b;", a, b), quotients);
  EXPECT_EQ(run_snippet<float>("sqrt.rn.f32 %o, %a;", a), roots);
  EXPECT_EQ(run_snippet<float>("rcp.rn.f32 %o, %a;", a), reciprocals);
  EXPECT_EQ(run_snippet<double>("div.rz.f64 %o, %a, %b;", F64{5}, F64{3}),
            (F64{std::nextafter(5.0 / 3, 0)}));
}

TEST(AluFloat, ExtremaPreferNumbersUnlessToldOtherwise) {
  const F32 a{1, kNan, 2, kNan, -0.0F, 0.0F}, b{2, 3, kNan, kNan, 0.0F, -0.0F};
  const float canonical = std::bit_cast<float>(0x7FFFFFFF);
  EXPECT_EQ(bits_of(run_snippet<float>("max.f32 %o, %a, %b;", a, b)),
            bits_of({2, 3, 2, canonical, 0, 0}));
  EXPECT_EQ(bits_of(run_snippet<float>("min.f32 %o, %a, %b;", a, b)),
            bits_of({1, 3, 2, canonical, -0.0F, -0.0F}));
  EXPECT_EQ(bits_of(run_snippet<float>("max.NaN.f32 %o, %a, %b;", a, b)),
            bits_of({2, canonical, canonical, canonical, 0, 0}));
  EXPECT_EQ(bits_of(run_snippet<float>("max.ftz.f32 %o, %a, %b;", F32{kTiny}, F32{-1})),
            bits_of({0}));
  EXPECT_EQ(run_snippet<double>("min.f64 %o, %a, %b;", F64{3}, F64{-kInfinity}), (F64{-kInfinity}));
}

TEST(AluFloat, Signs) {
  EXPECT_EQ(bits_of(run_snippet<float>("neg.f32 %o, %a;", F32{0, -kTiny})),
            bits_of({-0.0F, kTiny}));
  EXPECT_EQ(bits_of(run_snippet<float>("abs.ftz.f32 %o, %a;", F32{-2, -kTiny})), bits_of({2, 0}));
  EXPECT_EQ(run_snippet<float>("copysign.f32 %o, %a, %b;", F32{-1, 1}, F32{3, -4}), (F32{-3, 4}));
}

TEST(AluFloat, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(Snippet::is_refused("fma.f32 %o, %a, %b, %c;", {32, 32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("add.ftz.f64 %o, %a, %b;", {64, 64, 64}));
  EXPECT_TRUE(Snippet::is_refused("max.xorsign.abs.f32 %o, %a, %b;", {32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("max.f32 %o, %a, %b, %c;", {32, 32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("neg.sat.f32 %o, %a;", {32, 32}));
}

}  // namespace
}  // namespace gk::emulator
