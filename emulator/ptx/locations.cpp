// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/locations.hpp"

#include <limits>

namespace gk::emulator::ptx {
namespace {

constexpr std::uint64_t kMostInt = std::numeric_limits<int>::max();
constexpr int kMostInlined = 64;  // places may point at each other in a circle

}  // namespace

Locations::Position Locations::parse_position(Lexer& lexer) {
  Position position;
  for (int& part : position) {
    part = static_cast<int>(lexer.integer(kMostInt, "a file, line and column"));
  }
  return position;
}

Source Locations::parse(Lexer& lexer) {
  Position at = parse_position(lexer);
  inlined_at_.erase(at);
  while (lexer.accept(',')) {
    if (lexer.accept("inlined_at")) {
      inlined_at_[at] = parse_position(lexer);
    } else if (lexer.accept("function_name")) {
      lexer.name("a label");
      if (lexer.accept('+')) lexer.number("an offset");
    } else {
      lexer.fail_expected("'function_name' or 'inlined_at'");
    }
  }
  for (int steps = 0; steps < kMostInlined; ++steps) {
    const auto outer = inlined_at_.find(at);
    if (outer == inlined_at_.end()) break;
    at = outer->second;
  }
  return {.file = at[0], .line = at[1]};
}

}  // namespace gk::emulator::ptx
