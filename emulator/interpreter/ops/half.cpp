// SPDX-License-Identifier: Apache-2.0
// Arithmetic of f16 and bf16, one or two in a register. Every operation rounds once: sums of halves
// rounded to f32 first come out the same (24 bits are 2 * 11 + 2), products are exact in f64, and
// fma goes through a float that is rounded to odd.
#include "emulator/interpreter/ops/half_formats.hpp"

namespace gk::emulator {
namespace {

// Of f16 exact in f32; of bf16 it may be too small for that.
struct MulBf16 {
  float operator()(float a, float b) const { return round_to_odd(double{a} * b, 0); }
};
struct Fma {
  float operator()(float a, float b, float c) const {
    const double product = double{a} * b, sum = product + c;  // the product is exact
    const double c_part = sum - product;
    return round_to_odd(sum, (product - (sum - c_part)) + (c - c_part));
  }
};
// .relu: below zero becomes zero, NaN stays.
template <class F>
struct Relu {
  template <class... T>
  float operator()(T... x) const {
    const float y = F{}(x...);
    return y < 0 ? 0.0F : y;
  }
};

// F on the one or the two halves of a register.
template <class Format, class F>
struct Halves {
  std::uint16_t operator()(std::uint16_t a) const { return one(a); }
  std::uint16_t operator()(std::uint16_t a, std::uint16_t b) const { return one(a, b); }
  std::uint16_t operator()(std::uint16_t a, std::uint16_t b, std::uint16_t c) const {
    return one(a, b, c);
  }
  template <class... U>
  std::uint32_t operator()(std::uint32_t a, U... more) const {
    return Format::narrow(F{}(Format::widen(a & 0xFFFF), Format::widen(more & 0xFFFF)...)) |
           Format::narrow(F{}(Format::widen(a >> 16), Format::widen(more >> 16)...)) << 16;
  }

 private:
  template <class... U>
  static std::uint16_t one(U... x) {
    return static_cast<std::uint16_t>(Format::narrow(F{}(Format::widen(x)...)));
  }
};

struct Neg {
  template <class T>
  T operator()(T a) const {
    return a ^ static_cast<T>(0x80008000);
  }
};
struct Abs {
  template <class T>
  T operator()(T a) const {
    return a & static_cast<T>(0x7FFF7FFF);
  }
};

template <int kOperands, class F>
Match match(bool pair, Class kind) {
  const std::uint8_t bytes = pair ? 4 : 2;
  return {
      pair ? handler_of<std::uint32_t, kOperands, F>() : handler_of<std::uint16_t, kOperands, F>(),
      bytes, bytes, bytes, kind};
}

// Which format a type's name means.
struct HalfType {
  bool is_bf16, is_f16, pair;
  explicit HalfType(std::string_view type)
      : is_bf16(type.starts_with("bf16")),
        is_f16(type.starts_with("f16")),
        pair(type.ends_with("x2")) {}
};

template <int kOperands, class F>
Match of_format(const HalfType& type, Class kind = Class::kFloat) {
  if (type.is_bf16) return match<kOperands, Halves<Bf16, F>>(type.pair, kind);
  return match<kOperands, Halves<F16, F>>(type.pair, kind);
}

template <class F>
Match sum_or_product(const Opcode& opcode, const HalfType& type) {
  if (!understands(opcode, 3, {"rn", "sat"})) return {};
  if (!opcode.has("sat")) return of_format<2, F>(type);
  return type.is_f16 ? of_format<2, Saturated<F>>(type) : Match{};
}

Match find_fma(const Opcode& opcode, const HalfType& type) {
  const bool sat = opcode.has("sat"), relu = opcode.has("relu");
  if (!understands(opcode, 4, {"rn", "sat", "relu"}) || (sat && (relu || type.is_bf16))) return {};
  if (sat) return of_format<3, Saturated<Fma>>(type, Class::kMultiplyAdd);
  if (relu) return of_format<3, Relu<Fma>>(type, Class::kMultiplyAdd);
  return of_format<3, Fma>(type, Class::kMultiplyAdd);
}

template <bool kMax>
Match find_extremum(const Opcode& opcode, const HalfType& type) {
  if (!understands(opcode, 3, {"NaN"})) return {};
  if (opcode.has("NaN")) return of_format<2, Extremum<kMax, true>>(type);
  return of_format<2, Extremum<kMax, false>>(type);
}

}  // namespace

Match find_half(const Opcode& opcode) {
  const HalfType type(opcode.type());
  if (!type.is_bf16 && !type.is_f16) return {};
  const std::string& name = opcode.name();
  if (name == "add") return sum_or_product<FloatAdd>(opcode, type);
  if (name == "sub") return sum_or_product<FloatSub>(opcode, type);
  if (name == "mul") {
    return type.is_f16 ? sum_or_product<FloatMul>(opcode, type)
                       : sum_or_product<MulBf16>(opcode, type);
  }
  if (name == "fma") return find_fma(opcode, type);
  if (name == "min") return find_extremum<false>(opcode, type);
  if (name == "max") return find_extremum<true>(opcode, type);
  if (!understands(opcode, 2, {})) return {};
  if (name == "neg") return match<1, Neg>(type.pair, Class::kFloat);
  if (name == "abs") return match<1, Abs>(type.pair, Class::kFloat);
  return {};
}

}  // namespace gk::emulator
