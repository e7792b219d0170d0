// SPDX-License-Identifier: Apache-2.0
// Follows .loc directives to the user's own line.
#pragma once

#include <array>
#include <map>

#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"

namespace gk::emulator::ptx {

// A .loc of inlined code tells only where its own function was inlined; that place is told by an
// earlier .loc in turn. So the places are remembered, and followed outwards.
class Locations {
 public:
  // Reads what follows ".loc".
  Source parse(Lexer& lexer);

 private:
  using Position = std::array<int, 3>;  // file, line, column
  static Position parse_position(Lexer& lexer);
  std::map<Position, Position> inlined_at_;
};

}  // namespace gk::emulator::ptx
