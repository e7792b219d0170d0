// SPDX-License-Identifier: Apache-2.0
// Conversions between floating-point types, and of two f32 into one register of halves.
#include "emulator/interpreter/ops/convert.hpp"

namespace gk::emulator {
namespace {

struct Keep {
  template <class T>
  T operator()(T x) const {
    return x;
  }
};
struct Relu {
  template <class T>
  T operator()(T x) const {
    return x < 0 ? T{0} : x;
  }
};
struct Flush {
  double operator()(double x) const { return x; }
  float operator()(float x) const { return flush(x); }
};
struct Saturate {
  template <class T>
  T operator()(T x) const {
    return saturate(x);
  }
};
template <class First, class Then>
struct Chain {
  template <class T>
  T operator()(T x) const {
    return Then{}(First{}(x));
  }
};

struct RoundNearest {
  template <class Half>
  static std::uint32_t narrow(float x) {
    return Half::narrow(x);
  }
};
struct RoundToZero {
  template <class Half>
  static std::uint32_t narrow(float x) {
    return Half::truncate(x);
  }
};

// `Before` is done to the value, `After` to an f32 that comes of it.
template <class D, class A, class Before, class After, class Narrow>
void between_floats(Lane<D>* to, const Lane<A>* from) {
  GK_LANES {
    const auto a = Before{}(value_of<A>(from[lane]));
    if constexpr (!kIsHalf<D>) {
      to[lane] = After{}(static_cast<D>(a));
    } else if constexpr (std::is_same_v<A, double>) {
      to[lane] = static_cast<Lane<D>>(Narrow::template narrow<D>(round_to_odd(a, 0)));
    } else {
      to[lane] = static_cast<Lane<D>>(Narrow::template narrow<D>(a));
    }
  }
}
template <class D, class A, class Before, class After = Keep, class Narrow = RoundNearest>
constexpr Handler kHandler = &convert<D, A, &between_floats<D, A, Before, After, Narrow>>;

Match match(Handler handler, std::size_t bytes) {
  return {handler, static_cast<std::uint8_t>(bytes), 0, 0, Class::kOther};
}

// From a type to itself: to integral values, into [0, 1], or only flushed.
template <class T, class Round>
Match match_same(const Opcode& opcode) {
  const bool sat = opcode.has("sat");
  if (!opcode.has("ftz")) {
    return match(sat ? kHandler<T, T, Chain<Round, Saturate>> : kHandler<T, T, Round>,
                 sizeof(Lane<T>));
  }
  if constexpr (std::is_same_v<T, float>) {
    using Flushing = Chain<Flush, Round>;
    return match(sat ? kHandler<T, T, Chain<Flushing, Saturate>> : kHandler<T, T, Flushing>, 4);
  }
  return {};
}
template <class T>
Match find_same(const Opcode& opcode) {
  if (!understands(opcode, 2, {"rni", "rzi", "rmi", "rpi", "sat", "ftz"}, 2)) return {};
  const Match rounded =
      with_integral_rounding(opcode, [&]<class Round>() { return match_same<T, Round>(opcode); });
  return rounded ? rounded : match_same<T, Keep>(opcode);
}

// To a wider type: exact.
template <class D, class A>
Match find_wider(const Opcode& opcode) {
  if (!understands(opcode, 2, {"ftz", "sat"}, 2)) return {};
  const bool sat = opcode.has("sat");
  if (!opcode.has("ftz")) {
    return match(sat ? kHandler<D, A, Saturate> : kHandler<D, A, Keep>, sizeof(Lane<A>));
  }
  return match(sat ? kHandler<D, A, Chain<Flush, Saturate>, Flush> : kHandler<D, A, Flush, Flush>,
               sizeof(Lane<A>));
}

Match find_f64_to_f32(const Opcode& opcode) {
  if (!understands(opcode, 2, {"rn", "rz", "rm", "rp", "ftz", "sat"}, 2)) return {};
  using F = float;
  using D = double;
  Handler run = nullptr;
  if (opcode.has("sat")) {
    run = opcode.has("ftz") ? with_rounding<kHandler<F, D, Saturate, Flush>>(opcode)
                            : with_rounding<kHandler<F, D, Saturate>>(opcode);
  } else {
    run = opcode.has("ftz") ? with_rounding<kHandler<F, D, Keep, Flush>>(opcode)
                            : with_rounding<kHandler<F, D, Keep>>(opcode);
  }
  return match(run, 8);
}

template <class D, class A, class Narrow>
Match match_half(const Opcode& opcode) {
  const bool ftz = opcode.has("ftz");
  if (opcode.has("relu")) {
    return ftz ? Match{} : match(kHandler<D, A, Relu, Keep, Narrow>, sizeof(Lane<A>));
  }
  if (opcode.has("sat")) {
    return ftz ? Match{} : match(kHandler<D, A, Saturate, Keep, Narrow>, sizeof(Lane<A>));
  }
  return match(ftz ? kHandler<D, A, Flush, Keep, Narrow> : kHandler<D, A, Keep, Keep, Narrow>,
               sizeof(Lane<A>));
}
template <class D, class A>
Match find_to_half(const Opcode& opcode) {
  if (!understands(opcode, 2, {"rn", "rz", "relu", "sat", "ftz"}, 2) ||
      opcode.has("rn") == opcode.has("rz") || (opcode.has("relu") && opcode.has("sat"))) {
    return {};
  }
  return opcode.has("rz") ? match_half<D, A, RoundToZero>(opcode)
                          : match_half<D, A, RoundNearest>(opcode);
}

// tf32 has 10 bits of fraction; ties go away from zero.
struct ToTf32 {
  std::uint32_t operator()(std::uint32_t bits) const {
    const bool special = (bits & 0x7F800000) == 0x7F800000;
    return special ? bits : (bits + 0x1000) & ~0x1FFFU;
  }
};

// The first operand becomes the upper half.
template <class Half, class Narrow, class Before>
struct Pack {
  std::uint32_t operator()(float a, float b) const {
    return Narrow::template narrow<Half>(Before{}(a)) << 16 |
           Narrow::template narrow<Half>(Before{}(b));
  }
};
template <class Half, class Narrow>
Match match_pack(bool relu) {
  using P = Pack<Half, Narrow, Keep>;
  using R = Pack<Half, Narrow, Relu>;
  return relu ? match_binary<std::uint32_t, float, float, R>(Class::kOther)
              : match_binary<std::uint32_t, float, float, P>(Class::kOther);
}

}  // namespace

Match find_float_to_float(const Opcode& opcode) {
  if (opcode.type(1) == "tf32") {
    if (opcode.type() != "f32" || !opcode.has("rna") || !understands(opcode, 2, {"rna"}, 2)) {
      return {};
    }
    return match_unary<std::uint32_t, std::uint32_t, ToTf32>(Class::kOther);
  }
  return with_any_float(opcode.type(1), [&]<class D>() {
    return with_any_float(opcode.type(), [&]<class A>() -> Match {
      if (!fits(opcode, 0, opcode.type(1), sizeof(Lane<D>)) ||
          !fits(opcode, 1, opcode.type(), sizeof(Lane<A>))) {
        return {};
      }
      if constexpr (std::is_same_v<D, A>) {
        return find_same<D>(opcode);
      } else if constexpr (std::is_same_v<D, float> && std::is_same_v<A, double>) {
        return find_f64_to_f32(opcode);
      } else if constexpr (kIsHalf<D>) {
        return find_to_half<D, A>(opcode);
      } else {
        return find_wider<D, A>(opcode);
      }
    });
  });
}

Match find_packing(const Opcode& opcode) {
  const bool rz = opcode.has("rz");
  if (opcode.type() != "f32" || !understands(opcode, 3, {"rn", "rz", "relu"}, 2) ||
      opcode.has("rn") == rz) {
    return {};
  }
  const bool relu = opcode.has("relu");
  if (opcode.type(1) == "bf16x2") {
    return rz ? match_pack<Bf16, RoundToZero>(relu) : match_pack<Bf16, RoundNearest>(relu);
  }
  if (opcode.type(1) != "f16x2") return {};
  return rz ? match_pack<F16, RoundToZero>(relu) : match_pack<F16, RoundNearest>(relu);
}

}  // namespace gk::emulator
