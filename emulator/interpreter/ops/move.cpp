// SPDX-License-Identifier: Apache-2.0
// mov of one register or constant. Packing and unpacking ({%r1, %r2}) is decode_pack's.
#include "emulator/interpreter/ops/family.hpp"

namespace gk::emulator {
namespace {

struct Same {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};

Flow move_predicate(Warp& warp, const Instruction& i) {
  set_predicate(warp, i.to[0], predicate_of(warp, i.a));
  return Flow::kNext;
}

}  // namespace

Match find_move(const Opcode& opcode) {
  if (opcode.name() != "mov" || opcode.statement().opcode.size() != 2) return {};
  const std::string& type = opcode.type();
  if (type == "pred") {
    if (opcode.operands() != 2 || !is_predicate_source(opcode.operand(1))) return {};
    return {&move_predicate, 4, 0, 0, Class::kOther};
  }
  if (!understands(opcode, 2, {})) return {};
  constexpr auto kMove = []<class T>() { return match_unary<T, T, Same>(Class::kOther); };
  if (type == "f32") return kMove.operator()<std::uint32_t>();
  if (type == "f64") return kMove.operator()<std::uint64_t>();
  const Match bits = with_bits(type, kMove);
  return bits ? bits : with_integer(type, kMove);
}

}  // namespace gk::emulator
