// SPDX-License-Identifier: Apache-2.0
// Arithmetic of bf16 and f16 (PTX ISA 9.7.4) against exact arithmetic that is rounded once.
#include <random>

#include "tests/emulator/halves.hpp"
#include "tests/emulator/snippet.hpp"

namespace gk::emulator {
namespace {

using U16 = std::vector<std::uint16_t>;
using U32 = std::vector<std::uint32_t>;

// Values of a format, their bits, and what an operation makes of them.
struct Operands {
  std::vector<float> values;
  U16 bits;
};

// The bits of a number that has been rounded as if the range had no end.
std::uint16_t bits_of(float rounded, bool bf16) {
  if (bf16) return bf16_bits(rounded);
  if (std::abs(rounded) > 65504) return rounded < 0 ? 0xFC00 : 0x7C00;
  return f16_bits(rounded);
}

Operands random_operands(bool bf16, int exponents, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> exponent(-exponents, exponents);
  std::uniform_real_distribution<float> fraction(-2, 2);
  Operands operands;
  for (int i = 0; i < 1024; ++i) {
    const float x = std::ldexp(fraction(random), exponent(random));
    const float value = nearest(x, bf16 ? kBf16 : kF16);
    operands.values.push_back(value);
    operands.bits.push_back(bits_of(value, bf16));
  }
  return operands;
}

template <class F>
void expect_rounded_once(const std::string& opcode, bool bf16, int exponents, F exact) {
  const Operands a = random_operands(bf16, exponents, 1), b = random_operands(bf16, exponents, 2),
                 c = random_operands(bf16, exponents, 3);
  const bool fma = opcode.starts_with("fma");
  const U16 got =
      fma ? run_snippet<std::uint16_t>(opcode + " %o, %a, %b, %c;", a.bits, b.bits, c.bits)
          : run_snippet<std::uint16_t>(opcode + " %o, %a, %b;", a.bits, b.bits);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Exact truth = exact(a.values[i], b.values[i], c.values[i]);
    const float rounded = nearest(truth, bf16 ? kBf16 : kF16);
    if (truth == 0) continue;  // its sign is not looked at here
    EXPECT_EQ(got[i], bits_of(rounded, bf16))
        << opcode << " of " << a.values[i] << ", " << b.values[i] << ", " << c.values[i];
  }
}

const auto kSum = [](Exact a, Exact b, Exact) { return a + b; };
const auto kDifference = [](Exact a, Exact b, Exact) { return a - b; };
const auto kProduct = [](Exact a, Exact b, Exact) { return a * b; };
const auto kFma = [](Exact a, Exact b, Exact c) { return a * b + c; };

TEST(AluHalf, Bf16RoundsOnce) {
  expect_rounded_once("add.rn.bf16", true, 12, kSum);
  expect_rounded_once("sub.bf16", true, 12, kDifference);
  expect_rounded_once("mul.bf16", true, 12, kProduct);
  expect_rounded_once("mul.bf16", true, 64, kProduct);  // some results are subnormal
  expect_rounded_once("fma.rn.bf16", true, 12, kFma);
}

TEST(AluHalf, F16RoundsOnce) {
  expect_rounded_once("add.f16", false, 13, kSum);
  expect_rounded_once("sub.rn.f16", false, 13, kDifference);
  expect_rounded_once("mul.f16", false, 6, kProduct);
  expect_rounded_once("mul.f16", false, 12, kProduct);  // some results are subnormal, some infinite
  expect_rounded_once("fma.rn.f16", false, 6, kFma);
}

TEST(AluHalf, FmaIsNotFooledByDoubleRounding) {
  // 1 + 2^-8 is a tie for bf16; the product puts it just above, far below an f32's last digit.
  const U16 a{bf16_bits(0x1p-60F)}, b{bf16_bits(0x1p-8F)}, c{bf16_bits(1)};
  EXPECT_EQ(run_snippet<std::uint16_t>("fma.rn.bf16 %o, %a, %b, %c;", a, a, c), (U16{0x3F80}));
  const U16 above{bf16_bits(1 + 0x1p-7F)};
  // (1 + 2^-7) * 2^-8 + 1 = 1 + 2^-8 + 2^-15
  EXPECT_EQ(run_snippet<std::uint16_t>("fma.rn.bf16 %o, %a, %b, %c;", above, b, c), (U16{0x3F81}));
}

TEST(AluHalf, PairsAreTwoOperations) {
  const U32 a{0x40003F80}, b{0x3F803F80};  // (2, 1), (1, 1)
  EXPECT_EQ(run_snippet<std::uint32_t>("add.bf16x2 %o, %a, %b;", a, b), (U32{0x40404000}));
  EXPECT_EQ(run_snippet<std::uint32_t>("fma.rn.bf16x2 %o, %a, %a, %b;", a, b), (U32{0x40A04000}));
  EXPECT_EQ(run_snippet<std::uint32_t>("mul.f16x2 %o, %a, %a;", U32{0x40003C00}),
            (U32{0x44003C00}));
  EXPECT_EQ(run_snippet<std::uint32_t>("neg.bf16x2 %o, %a;", a), (U32{0xC000BF80}));
  EXPECT_EQ(run_snippet<std::uint32_t>("max.bf16x2 %o, %a, %b;", U32{0xBF807FC0}, U32{0xC0003F80}),
            (U32{0xBF803F80}));
  EXPECT_EQ(
      run_snippet<std::uint32_t>("min.NaN.f16x2 %o, %a, %b;", U32{0x7E003C00}, U32{0x3C004000}),
      (U32{0x7FFF3C00}));
}

TEST(AluHalf, ReluAndSaturation) {
  const U16 minus{0xBF80, 0x3F80, 0x7FC0}, one(3, 0x3F80), zero(3, 0);
  EXPECT_EQ(run_snippet<std::uint16_t>("fma.rn.relu.bf16 %o, %a, %b, %c;", minus, one, zero),
            (U16{0, 0x3F80, 0x7FFF}));
  EXPECT_EQ(run_snippet<std::uint16_t>("add.sat.f16 %o, %a, %b;", U16{0x3C00, 0xBC00, 0x7E00},
                                       U16{0x3C00, 0, 0}),
            (U16{0x3C00, 0, 0}));
}

TEST(AluHalf, OverflowsToInfinityAndKeepsSubnormals) {
  EXPECT_EQ(run_snippet<std::uint16_t>("add.f16 %o, %a, %b;", U16{0x7BFF, 1, 0x7C00},
                                       U16{0x7BFF, 1, 0xFC00}),
            (U16{0x7C00, 2, 0x7FFF}));
  EXPECT_EQ(run_snippet<std::uint16_t>("mul.bf16 %o, %a, %b;", U16{0x7F7F}, U16{0xFF7F}),
            (U16{0xFF80}));
}

TEST(AluHalf, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(Snippet::is_refused("add.sat.bf16 %o, %a, %b;", {16, 16, 16}));
  EXPECT_TRUE(Snippet::is_refused("add.ftz.f16 %o, %a, %b;", {16, 16, 16}));
  EXPECT_TRUE(Snippet::is_refused("max.xorsign.abs.bf16 %o, %a, %b;", {16, 16, 16}));
  EXPECT_TRUE(Snippet::is_refused("tanh.approx.bf16x2 %o, %a;", {32, 32}));
}

}  // namespace
}  // namespace gk::emulator
