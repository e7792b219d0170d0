// SPDX-License-Identifier: Apache-2.0
// The approximate functions of the special function unit, with the bounds of the PTX ISA 9.0.
#include "emulator/interpreter/ops/worst_case.hpp"

namespace gk::emulator {
namespace {

constexpr float kLeastNormal = std::numeric_limits<float>::min();

struct Ex2 {
  float operator()(float a) const {
    const double exact = exp2_of(a);
    const double bound = std::fabs(a) < kLeastNormal ? 0 : exact * 0x1p-22;  // 1 is exact
    return worst(exact, bound, random_sign(to_bits(a)));
  }
};
struct Rcp {
  float operator()(float a) const {
    const double exact = 1 / double{a};
    return worst(exact, ulp_of(exact), random_sign(to_bits(a)));
  }
};
struct Rsqrt {
  float operator()(float a) const {
    const double exact = 1 / std::sqrt(double{a});
    return worst(exact, std::fabs(exact) * 0x1.8406003b2ae63p-23, random_sign(to_bits(a)));
  }
};
struct Sqrt {
  float operator()(float a) const {
    const double exact = std::sqrt(double{a});
    return worst(exact, ulp_of(exact), random_sign(to_bits(a)));
  }
};
struct DivFull {
  float operator()(float a, float b) const {
    const double exact = double{a} / b;
    return worst(exact, 2 * ulp_of(exact), random_sign(to_bits(a) * 31 + to_bits(b)));
  }
};
// A divisor between 2^126 and infinity gives zero, or NaN if the dividend is infinite.
struct DivApprox {
  float operator()(float a, float b) const {
    const float quotient = DivFull{}(a, b);
    const float magnitude = std::fabs(b);
    const bool huge = bool(int(magnitude > 0x1p126F) & int(magnitude < HUGE_VALF));
    return huge ? a * 0.0F * std::copysign(1.0F, b) : quotient;
  }
};
// Absolute near 1, where the logarithm passes zero; relative elsewhere.
struct Lg2 {
  float operator()(float a) const {
    const double exact = std::log2(double{a});
    const bool near_one = a > 0.5F && a < 2.0F;
    return worst(exact, (near_one ? 1 : std::fabs(exact)) * 0x1p-22, random_sign(to_bits(a)));
  }
};
// The ISA bounds the error of sine and cosine within [-pi, pi] only; here that bound holds
// everywhere.
constexpr double kSineError = 0x1.6a09e667f3bcdp-21;
struct Sin {
  float operator()(float a) const {
    return worst(std::sin(double{a}), a == 0 ? 0 : kSineError, random_sign(to_bits(a)));
  }
};
struct Cos {
  float operator()(float a) const {
    return worst(std::cos(double{a}), a == 0 ? 0 : kSineError, random_sign(to_bits(a)));
  }
};
struct Tanh {
  float operator()(float a) const {
    constexpr double kTwoLog2E = 2.8853900817779268147;
    const double x = std::fabs(double{a});
    const double y = x * x;
    const double series = x * (1 - y / 3 + y * y * (2.0 / 15));  // to 1e-12 where it is used
    const double quotient = 1 - 2 / (exp2_of(x * kTwoLog2E) + 1);
    const double magnitude = x < 0x1p-6 ? series : quotient;
    const double bound = x < kLeastNormal || x > 1e30 ? 0 : magnitude * 0x1p-11;
    return worst(std::copysign(magnitude, double{a}), bound, random_sign(to_bits(a)));
  }
};

template <class F>
Match one(const Opcode& opcode) {
  if (!opcode.has("approx") || opcode.type() != "f32" ||
      !understands(opcode, 2, {"approx", "ftz"})) {
    return {};
  }
  return opcode.has("ftz") ? match_unary<float, float, Flushed<F>>(Class::kSpecial)
                           : match_unary<float, float, F>(Class::kSpecial);
}

template <class F>
Match divide(const Opcode& opcode, std::string_view word) {
  if (!understands(opcode, 3, {word, "ftz"})) return {};
  return opcode.has("ftz") ? match_binary<float, float, float, Flushed<F>>(Class::kSpecial)
                           : match_binary<float, float, float, F>(Class::kSpecial);
}

Match find_div(const Opcode& opcode) {
  if (opcode.type() != "f32") return {};
  if (opcode.has("full")) return divide<DivFull>(opcode, "full");
  return opcode.has("approx") ? divide<DivApprox>(opcode, "approx") : Match{};
}

}  // namespace

Match find_approximate(const Opcode& opcode) {
  const std::string& name = opcode.name();
  if (name == "ex2") return one<Ex2>(opcode);
  if (name == "lg2") return one<Lg2>(opcode);
  if (name == "rcp") return one<Rcp>(opcode);
  if (name == "rsqrt") return one<Rsqrt>(opcode);
  if (name == "sqrt") return one<Sqrt>(opcode);
  if (name == "div") return find_div(opcode);
  if (name == "sin") return one<Sin>(opcode);
  if (name == "cos") return one<Cos>(opcode);
  // Subnormal arguments of tanh are its results, with no .ftz to say otherwise.
  if (name == "tanh") return opcode.has("ftz") ? Match{} : one<Tanh>(opcode);
  return {};
}

}  // namespace gk::emulator
