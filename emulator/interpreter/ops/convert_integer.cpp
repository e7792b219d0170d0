// SPDX-License-Identifier: Apache-2.0
// Conversions to integers and from them.
#include <utility>

#include "emulator/interpreter/ops/convert.hpp"

namespace gk::emulator {
namespace {

// NOLINTBEGIN(bugprone-signed-char-misuse): signed bytes are meant to spread their sign.

template <class D, class A, bool kSat>
void between_integers(Lane<D>* to, const Lane<A>* from) {
  using Limits = std::numeric_limits<D>;
  GK_LANES {
    const A a = value_of<A>(from[lane]);
    auto d = static_cast<D>(a);
    if constexpr (kSat) {
      d = std::cmp_less(a, Limits::min()) ? Limits::min() : d;
      d = std::cmp_greater(a, Limits::max()) ? Limits::max() : d;
    }
    to[lane] = static_cast<Lane<D>>(d);
  }
}

// Out of range becomes the nearest in range. NaN becomes 0, or where `wide` (f64 to anything,
// anything to 64 bits) the number with only the top bit.
template <class D, class T>
D to_integer(T integral, bool wide) {
  using Limits = std::numeric_limits<D>;
  constexpr auto kLow = static_cast<T>(Limits::min());
  constexpr T kEnd = static_cast<T>(std::uint64_t{1} << (Limits::digits - 1)) * 2;
  T inside = integral < kLow ? kLow : integral;
  inside = inside < kEnd ? inside : T{0};
  auto d = static_cast<D>(inside);
  d = integral >= kEnd ? Limits::max() : d;
  const auto top = static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1));
  return integral != integral ? (wide ? top : D{0}) : d;
}

template <class D, class A, class Round, bool kFtz>
void float_to_integer(Lane<D>* to, const Lane<A>* from) {
  constexpr bool kWide = std::is_same_v<A, double> || sizeof(D) == 8;
  GK_LANES {
    auto a = value_of<A>(from[lane]);
    if constexpr (kFtz) a = flush(a);
    to[lane] = static_cast<Lane<D>>(to_integer<D>(Round{}(a), kWide));
  }
}

template <class D, class A>
void integer_to_float(Lane<D>* to, const Lane<A>* from) {
  GK_LANES {
    const A a = value_of<A>(from[lane]);
    if constexpr (kIsHalf<D>) {
      to[lane] = static_cast<Lane<D>>(D::narrow(round_to_odd(static_cast<double>(a), 0)));
    } else {
      to[lane] = static_cast<D>(a);
    }
  }
}

// NOLINTEND(bugprone-signed-char-misuse)

template <class D, class A>
Match match_integer_to_float(const Opcode& opcode) {
  if constexpr (kIsHalf<D>) {  // 64 bits do not fit into the double between
    if (sizeof(A) == 8 || opcode.has("rz") || opcode.has("rm") || opcode.has("rp")) return {};
    return match_convert<D, A, &integer_to_float<D, A>>();
  } else {
    Match match = match_convert<D, A, &integer_to_float<D, A>>();
    match.run = with_rounding<&convert<D, A, &integer_to_float<D, A>>>(opcode);
    return match;
  }
}

template <class D, class A>
bool fit(const Opcode& opcode) {
  return fits(opcode, 0, opcode.type(1), sizeof(Lane<D>)) &&
         fits(opcode, 1, opcode.type(), sizeof(Lane<A>));
}

}  // namespace

Match find_integer_to_integer(const Opcode& opcode) {
  if (!understands(opcode, 2, {"sat"}, 2)) return {};
  return with_any_integer(opcode.type(1), [&]<class D>() {
    return with_any_integer(opcode.type(), [&]<class A>() -> Match {
      if (!fit<D, A>(opcode)) return {};
      if (opcode.has("sat")) return match_convert<D, A, &between_integers<D, A, true>>();
      return match_convert<D, A, &between_integers<D, A, false>>();
    });
  });
}

Match find_float_to_integer(const Opcode& opcode) {
  // .sat says what is done anyway.
  if (!understands(opcode, 2, {"rni", "rzi", "rmi", "rpi", "ftz", "sat"}, 2)) return {};
  const bool ftz = opcode.has("ftz");
  return with_any_integer(opcode.type(1), [&]<class D>() {
    return with_any_float(opcode.type(), [&]<class A>() {
      return with_integral_rounding(opcode, [&]<class Round>() -> Match {
        if (!fit<D, A>(opcode)) return {};
        if (!ftz) return match_convert<D, A, &float_to_integer<D, A, Round, false>>();
        if constexpr (std::is_same_v<A, float>) {
          return match_convert<D, A, &float_to_integer<D, A, Round, true>>();
        }
        return {};
      });
    });
  });
}

Match find_integer_to_float(const Opcode& opcode) {
  if (!understands(opcode, 2, {"rn", "rz", "rm", "rp"}, 2)) return {};
  return with_any_float(opcode.type(1), [&]<class D>() {
    return with_any_integer(opcode.type(), [&]<class A>() {
      return fit<D, A>(opcode) ? match_integer_to_float<D, A>(opcode) : Match{};
    });
  });
}

}  // namespace gk::emulator
