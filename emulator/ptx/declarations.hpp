// SPDX-License-Identifier: Apache-2.0
// What PTX declares: variables with their initialisers, and parameters.
#pragma once

#include <string_view>
#include <vector>

#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"

namespace gk::emulator::ptx {

// Bytes of ".b32", ".bf16x2", ...; 0 where the word is no type of data.
int type_bytes(std::string_view word);

// All that stands between ".global" and the ';' behind it.
std::vector<Variable> parse_variables(Lexer& lexer, Space space, bool is_extern);

// "(.param .u64 a, .param .align 8 .b8 b[24])", with offsets as in the parameter block. `bytes`
// becomes the size of the block.
std::vector<Parameter> parse_parameters(Lexer& lexer, std::uint32_t& bytes);

}  // namespace gk::emulator::ptx
