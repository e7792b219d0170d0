// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic. It wraps, as the hardware's does.
#include <limits>

#include "emulator/interpreter/ops/family.hpp"

namespace gk::emulator {
namespace {

template <class T>
struct TwiceOf;
template <>
struct TwiceOf<std::int16_t> : std::type_identity<std::int32_t> {};
template <>
struct TwiceOf<std::uint16_t> : std::type_identity<std::uint32_t> {};
template <>
struct TwiceOf<std::int32_t> : std::type_identity<std::int64_t> {};
template <>
struct TwiceOf<std::uint32_t> : std::type_identity<std::uint64_t> {};
template <>
struct TwiceOf<std::int64_t> : std::type_identity<__int128> {};
template <>
struct TwiceOf<std::uint64_t> : std::type_identity<unsigned __int128> {};
template <class T>
using Twice = typename TwiceOf<T>::type;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b));
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b));
  }
};
// The exact result, in the range of 32 bits.
struct Saturate {
  static std::int32_t of(std::int64_t exact) {
    using Limits = std::numeric_limits<std::int32_t>;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(exact, Limits::min(), Limits::max()));
  }
};
struct AddSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return Saturate::of(std::int64_t{a} + b);
  }
};
struct SubSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return Saturate::of(std::int64_t{a} - b);
  }
};
struct MulLow {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b));
  }
};
struct MulWide {
  template <class T>
  Twice<T> operator()(T a, T b) const {
    return static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b);
  }
};
struct MulHigh {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(MulWide{}(a, b) >> (8 * sizeof(T)));
  }
};
// Of the 48-bit product of the operands' low 24 bits, the lower and the upper 32.
struct Mul24 {
  template <class T>
  static std::int64_t product(T a, T b) {
    const auto low = [](T x) {
      return static_cast<std::int64_t>(static_cast<T>(static_cast<std::uint32_t>(x) << 8)) >> 8;
    };
    return low(a) * low(b);
  }
};
struct Mul24Low {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Mul24::product(a, b));
  }
};
struct Mul24High {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Mul24::product(a, b) >> 16);
  }
};
template <class Product>
struct Mad {
  template <class T, class C>
  C operator()(T a, T b, C c) const {
    return Add{}(static_cast<C>(Product{}(a, b)), c);
  }
};
// By zero: all ones, which is what the instructions that ptxas makes of a division give; PTX leaves
// it open. The quotient of the least number and -1 wraps.
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Sub{}(T{0}, a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct Neg {
  template <class T>
  T operator()(T a) const {
    return Sub{}(T{0}, a);
  }
};
struct Abs {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? Sub{}(T{0}, a) : a;
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};
struct Sad {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(a > b ? Sub{}(a, b) : Sub{}(b, a), c);
  }
};

template <class F>
Match one(const Opcode& opcode) {
  if (!understands(opcode, 2, {}) || !opcode.type().starts_with('s')) return {};
  return with_integer(opcode.type(),
                      []<class T>() { return match_unary<T, T, F>(Class::kInteger); });
}
template <class F>
Match two(const Opcode& opcode, std::initializer_list<std::string_view> known = {}) {
  if (!understands(opcode, 3, known)) return {};
  return with_integer(opcode.type(),
                      []<class T>() { return match_binary<T, T, T, F>(Class::kInteger); });
}
template <class F>
Match three(const Opcode& opcode, std::initializer_list<std::string_view> known = {}) {
  if (!understands(opcode, 4, known)) return {};
  return with_integer(opcode.type(),
                      []<class T>() { return match_ternary<T, T, T, T, F>(Class::kInteger); });
}

template <class F, class Saturated>
Match sum(const Opcode& opcode) {
  if (!opcode.has("sat")) return two<F>(opcode);
  if (!understands(opcode, 3, {"sat"}) || opcode.type() != "s32") return {};
  return match_binary<std::int32_t, std::int32_t, std::int32_t, Saturated>(Class::kInteger);
}

Match multiply(const Opcode& opcode) {
  if (opcode.has("lo")) return two<MulLow>(opcode, {"lo"});
  if (opcode.has("hi")) return two<MulHigh>(opcode, {"hi"});
  if (!opcode.has("wide") || !understands(opcode, 3, {"wide"})) return {};
  return with_integer(opcode.type(), []<class T>() -> Match {
    if constexpr (sizeof(T) < 8) return match_binary<Twice<T>, T, T, MulWide>(Class::kInteger);
    return {};
  });
}

Match multiply_add(const Opcode& opcode) {
  if (opcode.has("lo")) return three<Mad<MulLow>>(opcode, {"lo"});
  if (opcode.has("hi")) return three<Mad<MulHigh>>(opcode, {"hi"});
  if (!opcode.has("wide") || !understands(opcode, 4, {"wide"})) return {};
  return with_integer(opcode.type(), []<class T>() -> Match {
    if constexpr (sizeof(T) < 8) {
      return match_ternary<Twice<T>, T, T, Twice<T>, Mad<MulWide>>(Class::kInteger);
    }
    return {};
  });
}

Match of_24_bits(const Opcode& opcode) {
  if (!opcode.type().ends_with("32") || opcode.has("lo") == opcode.has("hi")) return {};
  if (opcode.name() == "mul24") {
    return opcode.has("lo") ? two<Mul24Low>(opcode, {"lo"}) : two<Mul24High>(opcode, {"hi"});
  }
  return opcode.has("lo") ? three<Mad<Mul24Low>>(opcode, {"lo"})
                          : three<Mad<Mul24High>>(opcode, {"hi"});
}

}  // namespace

Match find_integer(const Opcode& opcode) {
  const std::string& name = opcode.name();
  if (name == "add") return sum<Add, AddSaturated>(opcode);
  if (name == "sub") return sum<Sub, SubSaturated>(opcode);
  if (name == "mul") return multiply(opcode);
  if (name == "mad") return multiply_add(opcode);
  if (name == "mul24" || name == "mad24") return of_24_bits(opcode);
  if (name == "div") return two<Div>(opcode);
  if (name == "rem") return two<Rem>(opcode);
  if (name == "neg") return one<Neg>(opcode);
  if (name == "abs") return one<Abs>(opcode);
  if (name == "min") return two<Min>(opcode);
  if (name == "max") return two<Max>(opcode);
  if (name == "sad") return three<Sad>(opcode);
  return {};
}

}  // namespace gk::emulator
