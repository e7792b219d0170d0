// SPDX-License-Identifier: Apache-2.0
#include "emulator/interpreter/ops/convert.hpp"

namespace gk::emulator {

Match find_convert(const Opcode& opcode) {
  if (opcode.name() != "cvt") return {};
  if (opcode.operands() == 3) return find_packing(opcode);
  const bool to_float = is_float_type(opcode.type(1)) || opcode.type(1) == "tf32";
  if (is_float_type(opcode.type())) {
    return to_float ? find_float_to_float(opcode) : find_float_to_integer(opcode);
  }
  return to_float ? find_integer_to_float(opcode) : find_integer_to_integer(opcode);
}

}  // namespace gk::emulator
