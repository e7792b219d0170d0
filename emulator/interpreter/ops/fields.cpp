// SPDX-License-Identifier: Apache-2.0
// Bit fields, counts and permutations. Where the ISA gives pseudocode, its names are kept.
#include <bit>

#include "emulator/interpreter/ops/shift.hpp"

namespace gk::emulator {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// `length` ones from bit 0 on.
template <class T>
T ones(U32 length) {
  return length < 8 * sizeof(T) ? static_cast<T>((T{1} << length) - 1) : static_cast<T>(-1);
}
struct ExtractField {
  template <class T>
  T operator()(T a, U32 b, U32 c) const {
    using U = std::make_unsigned_t<T>;
    constexpr U32 kMsb = 8 * sizeof(T) - 1;
    const U32 pos = b & 0xFF, len = c & 0xFF;
    const auto field = static_cast<U>(ShiftRight{}(static_cast<U>(a), pos) & ones<U>(len));
    const bool sign = std::is_signed_v<T> && len != 0 &&
                      ((static_cast<U>(a) >> std::min(pos + len - 1, kMsb)) & 1) != 0;
    const U32 taken = std::min(len, pos > kMsb ? 0 : kMsb + 1 - pos);
    return static_cast<T>(sign ? field | static_cast<U>(~ones<U>(taken)) : field);
  }
};
template <class T>
T insert_field(T a, T b, U32 c, U32 d) {
  const U32 pos = c & 0xFF, len = d & 0xFF;
  const T mask = ShiftLeft{}(ones<T>(len), pos);
  return (ShiftLeft{}(a, pos) & mask) | (b & static_cast<T>(~mask));
}

struct Reverse {
  template <class T>
  T operator()(T a) const {
    T reversed = 0;
    for (U32 bit = 0; bit < 8 * sizeof(T); ++bit) {
      reversed = static_cast<T>((reversed << 1) | ((a >> bit) & 1));
    }
    return reversed;
  }
};
struct CountOnes {
  template <class T>
  U32 operator()(T a) const {
    return static_cast<U32>(std::popcount(a));
  }
};
struct CountLeadingZeros {
  template <class T>
  U32 operator()(T a) const {
    return static_cast<U32>(std::countl_zero(a));
  }
};
// The position of the highest bit that is not a copy of the sign, or with `kShift` how far it is
// from the top; all ones where there is none.
template <bool kShift>
struct FindHighest {
  template <class T>
  U32 operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const auto magnitude = static_cast<U>(a < 0 ? ~a : a);
    if (magnitude == 0) return ~0U;
    const auto zeros = static_cast<U32>(std::countl_zero(magnitude));
    return kShift ? zeros : static_cast<U32>(8 * sizeof(T) - 1) - zeros;
  }
};
// The n-th set bit of the mask from `base` on, upwards or downwards.
struct FindNth {
  U32 operator()(U32 mask, U32 base, U32 offset) const {
    const auto n = static_cast<std::int32_t>(offset);
    if (n == 0) return base < 32 && ((mask >> base) & 1) != 0 ? base : ~0U;
    std::int64_t left = n < 0 ? -std::int64_t{n} : n;
    for (std::int64_t pos = base; pos >= 0 && pos < 32; pos += n < 0 ? -1 : 1) {
      left -= (mask >> pos) & 1;
      if (left == 0) return static_cast<U32>(pos);
    }
    return ~0U;
  }
};

// Four bytes out of b:a; bit 3 of a selector spreads the byte's sign instead.
struct Permute {
  U32 operator()(U32 a, U32 b, U32 c) const {
    const U64 bytes = (U64{b} << 32) | a;
    U32 result = 0;
    for (U32 at = 0; at < 4; ++at) {
      const U32 selector = c >> (4 * at);
      const auto byte = static_cast<std::uint8_t>(bytes >> (8 * (selector & 7)));
      const U32 sign = (byte & 0x80) != 0 ? 0xFF : 0;
      result |= ((selector & 8) != 0 ? sign : byte) << (8 * at);
    }
    return result;
  }
};
// Bit i of the table is the result where a, b, c are the bits 2, 1, 0 of i.
U32 look_up(U32 a, U32 b, U32 c, U32 table) {
  U32 result = 0;
  for (U32 i = 0; i < 8; ++i) {
    const U32 term = ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
    result |= term & (0U - ((table >> i) & 1));
  }
  return result;
}

// to[0] = F(a, b, c, d), all with the destination's mask blended in.
template <class A, class C, auto kF>
Flow quaternary(Warp& warp, const Instruction& i) {
  A* to = to_lanes<A>(warp, i.to[0]);
  const A *a = lanes_of<A>(warp, i.a), *b = lanes_of<A>(warp, i.b);
  const C *c = lanes_of<C>(warp, i.c), *d = lanes_of<C>(warp, i.d);
  GK_LANES to[lane] = warp.lane_mask[lane] ? kF(a[lane], b[lane], c[lane], d[lane]) : to[lane];
  return Flow::kNext;
}

template <class F>
constexpr auto kCount = []<class T>() { return match_unary<U32, T, F>(Class::kInteger); };
template <class F>
constexpr auto kSame = []<class T>() { return match_unary<T, T, F>(Class::kInteger); };

Match find_field(const Opcode& opcode) {
  if (opcode.name() == "bfe") {
    if (!understands(opcode, 4, {}) || opcode.type().ends_with("16")) return {};
    return with_integer(opcode.type(), []<class T>() {
      return match_ternary<T, T, U32, U32, ExtractField>(Class::kInteger);
    });
  }
  if (!understands(opcode, 5, {}) || opcode.type() == "b16") return {};
  return with_bits(opcode.type(), []<class T>() {
    return Match{&quaternary<T, U32, &insert_field<T>>, sizeof(T), sizeof(T), 4, Class::kInteger};
  });
}

Match find_count(const Opcode& opcode) {
  const std::string& name = opcode.name();
  const bool wide = !opcode.type().ends_with("16");
  if (!wide || !understands(opcode, 2, {})) return {};
  if (name == "brev") return with_bits(opcode.type(), kSame<Reverse>);
  if (name == "popc") return with_bits(opcode.type(), kCount<CountOnes>);
  return with_bits(opcode.type(), kCount<CountLeadingZeros>);
}

Match find_highest(const Opcode& opcode) {
  if (!understands(opcode, 2, {"shiftamt"}) || opcode.type().ends_with("16")) return {};
  if (opcode.has("shiftamt")) return with_integer(opcode.type(), kCount<FindHighest<true>>);
  return with_integer(opcode.type(), kCount<FindHighest<false>>);
}

Match find_words(const Opcode& opcode) {
  if (opcode.type() != "b32" || opcode.statement().opcode.size() != 2) return {};
  const std::string& name = opcode.name();
  if (name == "lop3" && understands(opcode, 5, {})) {
    return {&quaternary<U32, U32, &look_up>, 4, 4, 4, Class::kInteger};
  }
  if (!understands(opcode, 4, {})) return {};
  if (name == "prmt") return match_ternary<U32, U32, U32, U32, Permute>(Class::kInteger);
  if (name == "fns") return match_ternary<U32, U32, U32, U32, FindNth>(Class::kInteger);
  return {};
}

}  // namespace

Match find_fields(const Opcode& opcode) {
  const std::string& name = opcode.name();
  if (name == "bfe" || name == "bfi") return find_field(opcode);
  if (name == "brev" || name == "popc" || name == "clz") return find_count(opcode);
  if (name == "bfind") return find_highest(opcode);
  if (name == "lop3" || name == "prmt" || name == "fns") return find_words(opcode);
  return {};
}

}  // namespace gk::emulator
