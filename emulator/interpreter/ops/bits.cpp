// SPDX-License-Identifier: Apache-2.0
// Logic and shifts.
#include <functional>

#include "emulator/interpreter/ops/shift.hpp"

namespace gk::emulator {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

struct Wrap {
  static U32 of(U32 amount) { return amount & 31; }
};
struct Clamp {
  static U32 of(U32 amount) { return std::min(amount, 32U); }
};
// The upper or lower word of b:a, shifted.
template <class Amount>
struct FunnelLeft {
  U32 operator()(U32 a, U32 b, U32 c) const {
    return static_cast<U32>((((U64{b} << 32) | a) << Amount::of(c)) >> 32);
  }
};
template <class Amount>
struct FunnelRight {
  U32 operator()(U32 a, U32 b, U32 c) const {
    return static_cast<U32>(((U64{b} << 32) | a) >> Amount::of(c));
  }
};

// Predicates are masks, so one operation serves all lanes.
template <class F>
Flow logic(Warp& warp, const Instruction& i) {
  const U32 a = predicate_of(warp, i.a);
  if constexpr (std::is_same_v<F, std::bit_not<>>) {
    set_predicate(warp, i.to[0], F{}(a));
  } else {
    set_predicate(warp, i.to[0], F{}(a, predicate_of(warp, i.b)));
  }
  return Flow::kNext;
}

template <class F>
Match find_logic(const Opcode& opcode, std::size_t operands) {
  const auto& statement = opcode.statement();
  if (statement.opcode.size() != 2 || opcode.operands() != operands) return {};
  if (opcode.type() == "pred") {
    if (!std::all_of(statement.operands.begin() + 1, statement.operands.end(),
                     is_predicate_source)) {
      return {};
    }
    return {&logic<F>, 4, 4, 0, Class::kInteger};
  }
  if (!understands(opcode, operands, {})) return {};
  return with_bits(opcode.type(), []<class T>() {
    if constexpr (std::is_same_v<F, std::bit_not<>>) {
      return match_unary<T, T, F>(Class::kInteger);
    } else {
      return match_binary<T, T, T, F>(Class::kInteger);
    }
  });
}

template <class F>
constexpr auto kShift = []<class T>() { return match_binary<T, T, U32, F>(Class::kInteger); };
Match find_shift(const Opcode& opcode) {
  if (!understands(opcode, 3, {})) return {};
  if (opcode.name() == "shl") return with_bits(opcode.type(), kShift<ShiftLeft>);
  const Match logical = with_bits(opcode.type(), kShift<ShiftRight>);
  return logical ? logical : with_integer(opcode.type(), kShift<ShiftRight>);
}

Match find_funnel(const Opcode& opcode) {
  const bool left = opcode.has("l"), wrap = opcode.has("wrap");
  if (!understands(opcode, 4, {left ? "l" : "r", wrap ? "wrap" : "clamp"}) ||
      opcode.statement().opcode.size() != 4 || opcode.type() != "b32") {
    return {};
  }
  const auto make = []<class F>(F) {
    return match_ternary<U32, U32, U32, U32, F>(Class::kInteger);
  };
  if (left) return wrap ? make(FunnelLeft<Wrap>{}) : make(FunnelLeft<Clamp>{});
  return wrap ? make(FunnelRight<Wrap>{}) : make(FunnelRight<Clamp>{});
}

}  // namespace

Match find_bits(const Opcode& opcode) {
  const std::string& name = opcode.name();
  if (name == "and") return find_logic<std::bit_and<>>(opcode, 3);
  if (name == "or") return find_logic<std::bit_or<>>(opcode, 3);
  if (name == "xor") return find_logic<std::bit_xor<>>(opcode, 3);
  if (name == "not") return find_logic<std::bit_not<>>(opcode, 2);
  if (name == "shl" || name == "shr") return find_shift(opcode);
  if (name == "shf") return find_funnel(opcode);
  return find_fields(opcode);
}

}  // namespace gk::emulator
