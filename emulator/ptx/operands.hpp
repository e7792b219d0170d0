// SPDX-License-Identifier: Apache-2.0
// Operands of an instruction, as Operand in module.hpp describes them.
#pragma once

#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/ptx/scopes.hpp"

namespace gk::emulator::ptx {

// A name that no register has is a symbol: a variable, a label, "%tid.x".
Operand parse_operand(Lexer& lexer, const Scopes& scopes);

// "@%p1 " or "@!%p1 ", behind the '@'.
void parse_guard(Lexer& lexer, const Scopes& scopes, const Function& function,
                 Statement& statement);

}  // namespace gk::emulator::ptx
