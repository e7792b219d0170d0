// SPDX-License-Identifier: Apache-2.0
// The approximate instructions: never more wrong than the PTX ISA allows, and nearly that wrong.
#include <bit>
#include <cmath>
#include <limits>

#include "tests/emulator/snippet.hpp"

namespace gk::emulator {
namespace {

using F32 = std::vector<float>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kTiny = 0x1p-140F;  // subnormal

F32 between(float low, float high) {
  F32 values;
  for (int i = 0; i < 1000; ++i) {
    values.push_back(low + (high - low) * (static_cast<float>(i) + 0.37F) / 1000);
  }
  return values;
}

double one_ulp(double x) { return std::ldexp(1.0, std::ilogb(x) - 23); }

// `bound` tells the error that a result may have.
template <class F, class Bound>
void expect_wrong_within(const std::string& opcode, const F32& inputs, F truth, Bound bound) {
  const F32 got = run_snippet<float>(opcode + " %o, %a;", inputs);
  double worst = 0;
  int above = 0, below = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double exact = truth(static_cast<double>(inputs[i]));
    const double share = (got[i] - exact) / bound(exact);
    EXPECT_LE(std::fabs(share), 1) << opcode << " of " << inputs[i];
    worst = std::max(worst, std::fabs(share));
    (share > 0 ? above : below) += 1;
  }
  EXPECT_GT(worst, 0.9) << opcode;
  EXPECT_GT(std::min(above, below), 300) << opcode;
}

template <class F>
void expect_relative(const std::string& opcode, const F32& inputs, F truth, double relative) {
  expect_wrong_within(opcode, inputs, truth,
                      [=](double exact) { return std::fabs(exact) * relative; });
}

TEST(AluApproximate, IsAsWrongAsAllowed) {
  const auto exp2 = [](double x) { return std::exp2(x); };
  expect_relative("ex2.approx.f32", between(-125, 127), exp2, 0x1p-22);
  expect_relative("ex2.approx.ftz.f32", between(-1, 1), exp2, 0x1p-22);
  expect_relative(
      "rsqrt.approx.f32", between(0.01F, 100), [](double x) { return 1 / std::sqrt(x); },
      std::exp2(-22.4));
  expect_relative(
      "tanh.approx.f32", between(-4, 4), [](double x) { return std::tanh(x); }, 0x1p-11);
  expect_relative(
      "tanh.approx.f32", between(-0.02F, 0.02F), [](double x) { return std::tanh(x); }, 0x1p-11);
  expect_wrong_within(
      "rcp.approx.ftz.f32", between(0.1F, 9), [](double x) { return 1 / x; }, one_ulp);
  expect_wrong_within(
      "sqrt.approx.f32", between(0.1F, 9), [](double x) { return std::sqrt(x); }, one_ulp);
  const auto absolute = [](double bound) { return [=](double) { return bound; }; };
  expect_wrong_within(
      "sin.approx.f32", between(-3, 3), [](double x) { return std::sin(x); },
      absolute(std::exp2(-20.5)));
  expect_wrong_within(
      "cos.approx.ftz.f32", between(-3, 3), [](double x) { return std::cos(x); },
      absolute(std::exp2(-20.5)));
}

TEST(AluApproximate, TheLogarithmsErrorIsAbsoluteNearOne) {
  const auto log2 = [](double x) { return std::log2(x); };
  expect_wrong_within("lg2.approx.f32", between(0.51F, 1.99F), log2,
                      [](double) { return 0x1p-22; });
  expect_relative("lg2.approx.f32", between(2.01F, 1000), log2, 0x1p-22);
}

TEST(AluApproximate, DivisionIsWithinTwoUnits) {
  const F32 a = between(1, 9), b = between(0.2F, 3);
  for (const std::string opcode : {"div.approx.f32", "div.full.f32", "div.full.ftz.f32"}) {
    const F32 got = run_snippet<float>(opcode + " %o, %a, %b;", a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double exact = static_cast<double>(a[i]) / b[i];
      EXPECT_LE(std::fabs(got[i] - exact), 2 * one_ulp(exact)) << opcode;
      EXPECT_GE(std::fabs(got[i] - exact), one_ulp(exact)) << opcode;
    }
  }
}

std::vector<std::uint32_t> bits_of(const F32& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) {
    bits.push_back(value != value ? 0x7FFFFFFF : std::bit_cast<std::uint32_t>(value));
  }
  return bits;
}
std::vector<std::uint32_t> bits_of(const std::string& opcode, const F32& inputs) {
  return bits_of(run_snippet<float>(opcode + " %o, %a;", inputs));
}

TEST(AluApproximate, SpecialValuesAreExact) {
  const F32 special{-kInfinity, -kTiny, -0.0F, 0, kTiny, kInfinity, kNan};
  EXPECT_EQ(bits_of("ex2.approx.ftz.f32", special), bits_of({0, 1, 1, 1, 1, kInfinity, kNan}));
  EXPECT_EQ(bits_of("rcp.approx.ftz.f32", special),
            bits_of({-0.0F, -kInfinity, -kInfinity, kInfinity, kInfinity, 0, kNan}));
  EXPECT_EQ(bits_of("rsqrt.approx.ftz.f32", special),
            bits_of({kNan, -kInfinity, -kInfinity, kInfinity, kInfinity, 0, kNan}));
  EXPECT_EQ(bits_of("sqrt.approx.ftz.f32", special),
            bits_of({kNan, -0.0F, -0.0F, 0, 0, kInfinity, kNan}));
  EXPECT_EQ(bits_of("lg2.approx.ftz.f32", special),
            bits_of({kNan, -kInfinity, -kInfinity, -kInfinity, -kInfinity, kInfinity, kNan}));
  EXPECT_EQ(bits_of("sin.approx.ftz.f32", special),
            bits_of({kNan, -0.0F, -0.0F, 0, 0, kNan, kNan}));
  EXPECT_EQ(bits_of("cos.approx.ftz.f32", special), bits_of({kNan, 1, 1, 1, 1, kNan, kNan}));
  EXPECT_EQ(bits_of("tanh.approx.f32", special), bits_of({-1, -kTiny, -0.0F, 0, kTiny, 1, kNan}));
}

TEST(AluApproximate, TheExponentialReachesZeroAndInfinity) {
  EXPECT_EQ(bits_of("ex2.approx.f32", {-200, 128, 1e30F, -1e30F}),
            bits_of({0, kInfinity, kInfinity, 0}));
  EXPECT_EQ(bits_of("ex2.approx.ftz.f32", {-130}), bits_of({0}));
  EXPECT_GT(run_snippet<float>("ex2.approx.f32 %o, %a;", F32{-130}).front(), 0);
}

TEST(AluApproximate, DivisionByHugeNumbersGivesZero) {
  const F32 a{1, kInfinity, 1, -1}, b{0x1p127F, 0x1p127F, 0, kInfinity};
  EXPECT_EQ(bits_of(run_snippet<float>("div.approx.f32 %o, %a, %b;", a, b)),
            bits_of({0, kNan, kInfinity, -0.0F}));
  EXPECT_GT(run_snippet<float>("div.full.f32 %o, %a, %b;", F32{4}, F32{0x1p127F}).front(), 0);
}

TEST(AluApproximate, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(Snippet::is_refused("rcp.approx.ftz.f64 %o, %a;", {64, 64}));
  EXPECT_TRUE(Snippet::is_refused("ex2.approx.ftz.bf16x2 %o, %a;", {32, 32}));
  EXPECT_TRUE(Snippet::is_refused("tanh.approx.f16 %o, %a;", {16, 16}));
  EXPECT_TRUE(Snippet::is_refused("ex2.f32 %o, %a;", {32, 32}));
}

}  // namespace
}  // namespace gk::emulator
