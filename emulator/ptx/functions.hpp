// SPDX-License-Identifier: Apache-2.0
// .entry and .func: signature, directives, body.
#pragma once

#include <optional>

#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/ptx/scopes.hpp"

namespace gk::emulator::ptx {

// Reads what follows ".entry" or ".func". Nothing comes back for a declaration without a body.
std::optional<Function> parse_function(Lexer& lexer, bool is_entry, Budget& budget);

}  // namespace gk::emulator::ptx
