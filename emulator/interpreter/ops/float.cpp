// SPDX-License-Identifier: Apache-2.0
// f32 and f64 arithmetic that is exactly rounded. The .approx forms are in approximate.cpp.
#include "emulator/interpreter/ops/floating.hpp"

namespace gk::emulator {
namespace {

struct Div {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct Rcp {
  template <class T>
  T operator()(T a) const {
    return T{1} / a;
  }
};
struct Sqrt {
  template <class T>
  T operator()(T a) const {
    return std::sqrt(a);
  }
};
struct Neg {
  template <class T>
  T operator()(T a) const {
    return -a;
  }
};
struct Abs {
  template <class T>
  T operator()(T a) const {
    return std::fabs(a);
  }
};
// The value of b with the sign of a.
struct CopySign {
  template <class T>
  T operator()(T a, T b) const {
    return std::copysign(b, a);
  }
};

template <class T, int kOperands, class F>
Match match(Handler handler, Class kind) {
  constexpr std::uint8_t kBytes = sizeof(T);
  return {handler, kBytes, kOperands > 1 ? kBytes : std::uint8_t{0},
          kOperands > 2 ? kBytes : std::uint8_t{0}, kind};
}

enum Allowed : unsigned { kNothing = 0, kSat = 1, kRounding = 2, kMustRound = 4 };

bool says_rounding(const Opcode& opcode) {
  return opcode.has("rn") || opcode.has("rz") || opcode.has("rm") || opcode.has("rp");
}

template <int kOperands, class F>
Handler single(const Opcode& opcode) {
  if (opcode.has("ftz")) {
    if (opcode.has("sat")) {
      return with_rounding<handler_of<float, kOperands, Saturated<Flushed<F>>>()>(opcode);
    }
    return with_rounding<handler_of<float, kOperands, Flushed<F>>()>(opcode);
  }
  if (opcode.has("sat")) {
    return with_rounding<handler_of<float, kOperands, Saturated<F>>()>(opcode);
  }
  return with_rounding<handler_of<float, kOperands, F>()>(opcode);
}

// The handler for f32 or f64, with the modifiers that the opcode says and the operation allows.
template <int kOperands, class F>
Match find(const Opcode& opcode, unsigned allowed, Class kind = Class::kFloat) {
  const bool rounding = says_rounding(opcode);
  if (((allowed & kMustRound) != 0 && !rounding) || ((allowed & kRounding) == 0 && rounding) ||
      ((allowed & kSat) == 0 && opcode.has("sat"))) {
    return {};
  }
  if (opcode.type() == "f32") {
    if (!understands(opcode, kOperands + 1, {"rn", "rz", "rm", "rp", "ftz", "sat"})) return {};
    return match<float, kOperands, F>(single<kOperands, F>(opcode), kind);
  }
  if (opcode.type() != "f64" || !understands(opcode, kOperands + 1, {"rn", "rz", "rm", "rp"})) {
    return {};
  }
  return match<double, kOperands, F>(with_rounding<handler_of<double, kOperands, F>()>(opcode),
                                     kind);
}

template <class F>
Match plain(const Opcode& opcode, std::size_t operands) {
  constexpr bool kBinary = std::is_same_v<F, CopySign>;
  if (!understands(opcode, operands, {"ftz"}) || (kBinary && opcode.has("ftz"))) return {};
  constexpr int kOperands = kBinary ? 2 : 1;
  if (opcode.type() == "f64" && !opcode.has("ftz")) {
    return match<double, kOperands, F>(handler_of<double, kOperands, F>(), Class::kFloat);
  }
  if (opcode.type() != "f32") return {};
  return match<float, kOperands, F>(opcode.has("ftz") ? handler_of<float, kOperands, Flushed<F>>()
                                                      : handler_of<float, kOperands, F>(),
                                    Class::kFloat);
}

template <bool kMax>
Match find_extremum(const Opcode& opcode) {
  using Number = Extremum<kMax, false>;
  using Nan = Extremum<kMax, true>;
  if (opcode.type() == "f64" && understands(opcode, 3, {})) {
    return match<double, 2, Number>(handler_of<double, 2, Number>(), Class::kFloat);
  }
  if (opcode.type() != "f32" || !understands(opcode, 3, {"ftz", "NaN"})) return {};
  const bool ftz = opcode.has("ftz");
  if (opcode.has("NaN")) {
    return match<float, 2, Nan>(
        ftz ? handler_of<float, 2, Flushed<Nan>>() : handler_of<float, 2, Nan>(), Class::kFloat);
  }
  return match<float, 2, Number>(
      ftz ? handler_of<float, 2, Flushed<Number>>() : handler_of<float, 2, Number>(),
      Class::kFloat);
}

}  // namespace

Match find_float(const Opcode& opcode) {
  const std::string& name = opcode.name();
  if (name == "add") return find<2, FloatAdd>(opcode, kSat | kRounding);
  if (name == "sub") return find<2, FloatSub>(opcode, kSat | kRounding);
  if (name == "mul") return find<2, FloatMul>(opcode, kSat | kRounding);
  if (name == "fma" || name == "mad") {
    return find<3, FloatFma>(opcode, kSat | kRounding | kMustRound, Class::kMultiplyAdd);
  }
  if (name == "div") return find<2, Div>(opcode, kRounding | kMustRound);
  if (name == "rcp") return find<1, Rcp>(opcode, kRounding | kMustRound);
  if (name == "sqrt") return find<1, Sqrt>(opcode, kRounding | kMustRound);
  if (name == "neg") return plain<Neg>(opcode, 2);
  if (name == "abs") return plain<Abs>(opcode, 2);
  if (name == "copysign") return plain<CopySign>(opcode, 3);
  if (name == "min") return find_extremum<false>(opcode);
  if (name == "max") return find_extremum<true>(opcode);
  return {};
}

}  // namespace gk::emulator
