// SPDX-License-Identifier: Apache-2.0
// The part of find_compare that has its own file: selp slct testp.
#pragma once

#include "emulator/interpreter/opcode.hpp"

namespace gk::emulator {

Match find_select(const Opcode& opcode);

}  // namespace gk::emulator
