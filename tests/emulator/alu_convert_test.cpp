// SPDX-License-Identifier: Apache-2.0
// cvt against the PTX ISA, section 9.7.9.
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/emulator/halves.hpp"
#include "tests/emulator/snippet.hpp"

namespace gk::emulator {
namespace {

using I16 = std::vector<std::int16_t>;
using I32 = std::vector<std::int32_t>;
using I64 = std::vector<std::int64_t>;
using U16 = std::vector<std::uint16_t>;
using U32 = std::vector<std::uint32_t>;
using U64 = std::vector<std::uint64_t>;
using F32 = std::vector<float>;
using F64 = std::vector<double>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(AluConvert, IntegersExtendByTheirOwnSign) {
  EXPECT_EQ(run_snippet<std::int64_t>("cvt.s64.s32 %o, %a;", I32{-5}), (I64{-5}));
  EXPECT_EQ(run_snippet<std::int64_t>("cvt.u64.u32 %o, %a;", I32{-5}), (I64{0xFFFFFFFB}));
  EXPECT_EQ(run_snippet<std::int64_t>("cvt.s64.u32 %o, %a;", I32{-5}), (I64{0xFFFFFFFB}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.s32.s16 %o, %a;", I16{-5}), (I32{-5}));
  EXPECT_EQ(run_snippet<std::uint16_t>("cvt.u16.u32 %o, %a;", U32{0x12345678}), (U16{0x5678}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.s32.s64 %o, %a;", I64{(1LL << 40) - 3}), (I32{-3}));
}

TEST(AluConvert, BytesLiveInRegistersOfAnyWidth) {
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.s32.s8 %o, %a;", U32{0x1FF, 0x7F}), (I32{-1, 127}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.u32.u8 %o, %a;", U16{0x1FF}), (I32{255}));
  EXPECT_EQ(run_snippet<std::int16_t>("cvt.s16.s8 %o, %a;", U16{0x80}), (I16{-128}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.s8.s32 %o, %a;", I32{0x1FF, 0x17F}), (I32{-1, 127}));
  EXPECT_EQ(run_snippet<std::uint64_t>("cvt.u8.u64 %o, %a;", U64{0x1FF}), (U64{255}));
  EXPECT_EQ(run_snippet<std::uint16_t>("cvt.u8.u16 %o, %a;", U16{0x1FE}), (U16{0xFE}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.rni.sat.s8.f32 %o, %a;", F32{-300, 2.5F, 3.5F, 200}),
            (I32{-128, 2, 4, 127}));
  EXPECT_EQ(run_snippet<float>("cvt.rn.f32.s8 %o, %a;", U32{0xFE}), (F32{-2}));
}

TEST(AluConvert, SaturationClampsIntegers) {
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.sat.s8.s32 %o, %a;", I32{-1000, 1000, 5}),
            (I32{-128, 127, 5}));
  EXPECT_EQ(run_snippet<std::uint32_t>("cvt.sat.u32.s32 %o, %a;", I32{-1, 7}), (U32{0, 7}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.sat.s32.u32 %o, %a;", U32{~0U}), (I32{2147483647}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.sat.s32.s64 %o, %a;", I64{-(1LL << 40)}),
            (I32{std::numeric_limits<std::int32_t>::min()}));
}

TEST(AluConvert, FloatsRoundToIntegersAsTold) {
  const F32 a{2.5F, -2.5F, 2.7F, -2.7F};
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.rni.s32.f32 %o, %a;", a), (I32{2, -2, 3, -3}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.rzi.s32.f32 %o, %a;", a), (I32{2, -2, 2, -2}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.rmi.s32.f32 %o, %a;", a), (I32{2, -3, 2, -3}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.rpi.s32.f32 %o, %a;", a), (I32{3, -2, 3, -2}));
  EXPECT_EQ(run_snippet<float>("cvt.rni.f32.f32 %o, %a;", a), (F32{2, -2, 3, -3}));
  EXPECT_EQ(run_snippet<double>("cvt.rmi.f64.f64 %o, %a;", F64{-0.5}), (F64{-1}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.rpi.ftz.s32.f32 %o, %a;", F32{0x1p-140F}), (I32{0}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.rpi.s32.f32 %o, %a;", F32{0x1p-140F}), (I32{1}));
}

TEST(AluConvert, OutOfRangeBecomesTheNearestIntegerAndNanZeroOrTheTopBit) {
  const F32 a{3e9F, -3e9F, 1e30F, kInfinity, kNan};
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.rzi.s32.f32 %o, %a;", a),
            (I32{2147483647, -2147483647 - 1, 2147483647, 2147483647, 0}));
  EXPECT_EQ(run_snippet<std::uint32_t>("cvt.rzi.u32.f32 %o, %a;", a),
            (U32{3000000000U, 0, ~0U, ~0U, 0}));
  EXPECT_EQ(run_snippet<std::uint64_t>("cvt.rzi.u64.f32 %o, %a;", a),
            (U64{3000000000U, 0, ~0ULL, ~0ULL, 1ULL << 63}));
  EXPECT_EQ(run_snippet<std::uint32_t>("cvt.rzi.s32.f64 %o, %a;", F64{kNan, 1e300}),
            (U32{0x80000000, 0x7FFFFFFF}));
  EXPECT_EQ(run_snippet<std::int16_t>("cvt.rzi.s16.f32 %o, %a;", F32{1e6F, -1e6F}),
            (I16{32767, -32768}));
  EXPECT_EQ(run_snippet<std::int32_t>("cvt.rni.s32.bf16 %o, %a;", U16{0x4020}), (I32{2}));
}

TEST(AluConvert, IntegersRoundToFloatsAsTold) {
  const I32 a{(1 << 24) + 1, -(1 << 24) - 1};
  EXPECT_EQ(run_snippet<float>("cvt.rn.f32.s32 %o, %a;", a), (F32{0x1p24F, -0x1p24F}));
  EXPECT_EQ(run_snippet<float>("cvt.rp.f32.s32 %o, %a;", a), (F32{0x1p24F + 2, -0x1p24F}));
  EXPECT_EQ(run_snippet<float>("cvt.rm.f32.s32 %o, %a;", a), (F32{0x1p24F, -0x1p24F - 2}));
  EXPECT_EQ(run_snippet<float>("cvt.rn.f32.u64 %o, %a;", U64{~0ULL}), (F32{0x1p64F}));
  EXPECT_EQ(run_snippet<float>("cvt.rz.f32.u64 %o, %a;", U64{~0ULL}), (F32{0x1p64F - 0x1p40F}));
  EXPECT_EQ(run_snippet<double>("cvt.rn.f64.s64 %o, %a;", I64{-(1LL << 53) - 1}), (F64{-0x1p53}));
  EXPECT_EQ(run_snippet<std::uint16_t>("cvt.rn.f16.s32 %o, %a;", I32{2049, 70000, -3}),
            (U16{0x6800, 0x7C00, 0xC200}));
  EXPECT_EQ(run_snippet<std::uint16_t>("cvt.rn.bf16.s32 %o, %a;", I32{257, 0x01010001}),
            (U16{0x4380, 0x4B81}));
}

TEST(AluConvert, BetweenF32AndF64) {
  const F64 a{1 + 0x1p-30, -1 - 0x1p-30, 1e300, 0x1p-140};
  EXPECT_EQ(run_snippet<float>("cvt.rn.f32.f64 %o, %a;", a), (F32{1, -1, kInfinity, 0x1p-140F}));
  EXPECT_EQ(run_snippet<float>("cvt.rz.ftz.f32.f64 %o, %a;", a),
            (F32{1, -1, std::numeric_limits<float>::max(), 0}));
  EXPECT_EQ(run_snippet<float>("cvt.rp.f32.f64 %o, %a;", a).front(), 1 + 0x1p-23F);
  EXPECT_EQ(run_snippet<double>("cvt.f64.f32 %o, %a;", F32{0x1p-140F}), (F64{0x1p-140}));
  EXPECT_EQ(run_snippet<double>("cvt.ftz.f64.f32 %o, %a;", F32{0x1p-140F}), (F64{0}));
  EXPECT_EQ(run_snippet<float>("cvt.sat.f32.f32 %o, %a;", F32{-1, 0.5F, 2, kNan}),
            (F32{0, 0.5F, 1, 0}));
}

// All floats near the places where halves round, and a spread of others.
F32 floats_around_halves(float range) {
  std::mt19937 random(7);
  F32 values{0, 0x1p-24F, 0x1p-25F, 0x1.8p-25F, 0x1.004p-14F, 0x1.ffcp-15F, 0x1.ffep-15F, 65504};
  while (values.size() < 1024) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const float tie = std::bit_cast<float>(static_cast<std::uint32_t>(random()) & 0xFFFFF000U);
    for (const float value : {x, tie}) {
      if (std::fabs(value) < range && std::fabs(value) > 1e-9F) values.push_back(value);
    }
  }
  values.resize(1024);
  return values;
}

TEST(AluConvert, HalvesRoundToNearestEven) {
  const F32 a = floats_around_halves(60000);
  U16 f16, bf16;
  for (const float value : a) {
    f16.push_back(f16_bits(nearest(value, kF16)));
    bf16.push_back(bf16_bits(nearest(value, kBf16)));
  }
  for (std::size_t i = 0; i < a.size(); ++i) {  // nearest() forgets the sign of zero
    if (std::signbit(a[i])) f16[i] |= 0x8000;
  }
  EXPECT_EQ(run_snippet<std::uint16_t>("cvt.rn.f16.f32 %o, %a;", a), f16);
  EXPECT_EQ(run_snippet<std::uint16_t>("cvt.rn.bf16.f32 %o, %a;", a), bf16);
  const F32 back = run_snippet<float>("cvt.f32.f16 %o, %a;", f16);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(back[i], nearest(a[i], kF16));
}

TEST(AluConvert, HalvesOfSpecialValues) {
  const F32 a{kInfinity, -kInfinity, kNan, 65520, 65519, -0.0F, 1e-9F};
  EXPECT_EQ(run_snippet<std::uint16_t>("cvt.rn.f16.f32 %o, %a;", a),
            (U16{0x7C00, 0xFC00, 0x7FFF, 0x7C00, 0x7BFF, 0x8000, 0}));
  EXPECT_EQ(run_snippet<std::uint16_t>("cvt.rz.f16.f32 %o, %a;", a),
            (U16{0x7C00, 0xFC00, 0x7FFF, 0x7BFF, 0x7BFF, 0x8000, 0}));
  EXPECT_EQ(run_snippet<std::uint16_t>("cvt.rn.bf16.f32 %o, %a;",
                                       F32{kNan, std::numeric_limits<float>::max(), -kInfinity}),
            (U16{0x7FFF, 0x7F80, 0xFF80}));
  EXPECT_EQ(run_snippet<std::uint16_t>("cvt.rz.bf16.f32 %o, %a;",
                                       F32{std::numeric_limits<float>::max(), 1.999F}),
            (U16{0x7F7F, 0x3FFF}));
  EXPECT_EQ(run_snippet<std::uint16_t>("cvt.rz.f16.f32 %o, %a;", F32{0x1.ffep-15F, 0x1.ffp-25F}),
            (U16{0x03FF, 0}));
  const F32 wide = run_snippet<float>("cvt.f32.f16 %o, %a;", U16{0x7C00, 0x7E00, 1, 0x8000});
  EXPECT_EQ(wide[0], kInfinity);
  EXPECT_TRUE(std::isnan(wide[1]));
  EXPECT_EQ(wide[2], 0x1p-24F);
  EXPECT_TRUE(std::signbit(wide[3]));
}

TEST(AluConvert, F64ToHalvesRoundsOnce) {
  // In f32 first this would become a tie.
  EXPECT_EQ(
      run_snippet<std::uint16_t>("cvt.rn.f16.f64 %o, %a;", F64{1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11}),
      (U16{0x3C01, 0x3C00}));
  EXPECT_EQ(run_snippet<std::uint16_t>("cvt.rn.bf16.f64 %o, %a;", F64{-1 - 0x1p-8 - 0x1p-50}),
            (U16{0xBF81}));
}

TEST(AluConvert, PacksTheFirstOperandIntoTheUpperHalf) {
  const F32 a{1, -1, kNan}, b{-2, 1 + 0x1p-8F, 0.5F};
  EXPECT_EQ(run_snippet<std::uint32_t>("cvt.rn.bf16x2.f32 %o, %a, %b;", a, b),
            (U32{0x3F80C000, 0xBF803F80, 0x7FFF3F00}));
  EXPECT_EQ(run_snippet<std::uint32_t>("cvt.rn.relu.bf16x2.f32 %o, %a, %b;", a, b),
            (U32{0x3F800000, 0x00003F80, 0x7FFF3F00}));
  EXPECT_EQ(run_snippet<std::uint32_t>("cvt.rn.f16x2.f32 %o, %a, %b;", a, b),
            (U32{0x3C00C000, 0xBC003C04, 0x7FFF3800}));
}

TEST(AluConvert, Tf32TiesGoAwayFromZero) {
  EXPECT_EQ(run_snippet<std::uint32_t>("cvt.rna.tf32.f32 %o, %a;",
                                       F32{1 + 0x1p-11F, -1 - 0x1p-11F, 1 + 0x1p-12F, kInfinity}),
            (U32{0x3F802000, 0xBF802000, 0x3F800000, 0x7F800000}));
}

TEST(AluConvert, GuardedLanesKeepTheirResult) {
  const std::string guard = "setp.eq.u32 %p1, %lane, 1; @%p1 ";
  EXPECT_EQ(run_snippet<float>(guard + "cvt.f32.bf16 %o, %a;", U16{0x3F80, 0x4000, 0x3F80}),
            (F32{untouched<float>(), 2, untouched<float>()}));
  EXPECT_EQ(run_snippet<std::int32_t>(guard + "cvt.s8.s32 %o, %a;", I32{1, -2, 3}),
            (I32{untouched<std::int32_t>(), -2, untouched<std::int32_t>()}));
}

TEST(AluConvert, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(Snippet::is_refused("cvt.s32.f32 %o, %a;", {32, 32}));
  EXPECT_TRUE(Snippet::is_refused("cvt.f16.f32 %o, %a;", {16, 32}));
  EXPECT_TRUE(Snippet::is_refused("cvt.rn.satfinite.e4m3x2.f32 %o, %a, %b;", {16, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("cvt.rn.sat.f32.s32 %o, %a;", {32, 32}));
  EXPECT_TRUE(Snippet::is_refused("cvt.pack.sat.u8.s32.b32 %o, %a, %b, %c;", {32, 32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("cvt.s32.s64 %o, %a;", {32, 32}));
}

}  // namespace
}  // namespace gk::emulator
