// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/operands.hpp"

#include <utility>

namespace gk::emulator::ptx {
namespace {

constexpr std::uint64_t kWarpSize = 32;

Operand named(Lexer& lexer, const Scopes& scopes) {
  const std::string_view name = lexer.name("an operand");
  Operand operand;
  if (name == "_") return operand;
  operand.reg = scopes.find_register(name);
  if (operand.reg >= 0) {
    operand.kind = Operand::Kind::kRegister;
  } else if (name == "WARP_SZ") {
    operand.kind = Operand::Kind::kImmediate;
    operand.bits = kWarpSize;
  } else {
    operand.kind = Operand::Kind::kSymbol;
    operand.symbol = name;
  }
  return operand;
}

// "+8", "+-8", "-8" or nothing.
std::int64_t parse_offset(Lexer& lexer) {
  if (!lexer.accept('+') && !lexer.at('-')) return 0;
  return static_cast<std::int64_t>(lexer.number("an offset"));
}

Operand scalar(Lexer& lexer, const Scopes& scopes) {
  if (lexer.at_number()) {
    Operand operand;
    operand.kind = Operand::Kind::kImmediate;
    operand.bits = lexer.number("an integer, 0f or 0d literal");
    return operand;
  }
  const bool negated = lexer.accept('!');
  Operand operand = named(lexer, scopes);
  operand.negated = negated;
  if (negated && operand.kind != Operand::Kind::kRegister) lexer.fail("'!' needs a predicate");
  if (operand.kind == Operand::Kind::kSymbol) operand.offset = parse_offset(lexer);
  if (lexer.accept('|')) {
    const Operand second = named(lexer, scopes);
    if (!operand.symbol.empty() || !second.symbol.empty()) lexer.fail("'|' joins two registers");
    operand.second = second.reg;
  }
  return operand;
}

// The elements up to the closing mark, into `parts`.
void parse_list(Lexer& lexer, const Scopes& scopes, char close, std::vector<Operand>& parts) {
  while (!lexer.accept(close)) {
    parts.push_back(scalar(lexer, scopes));
    if (!lexer.at(close)) lexer.expect(',');
  }
}

// "[base+offset]", "[base, {x, y}]", behind the '['.
Operand address(Lexer& lexer, const Scopes& scopes) {
  Operand operand;
  operand.kind = Operand::Kind::kAddress;
  Operand base = scalar(lexer, scopes);
  operand.offset = std::exchange(base.offset, 0) + parse_offset(lexer);
  operand.parts.push_back(std::move(base));
  while (lexer.accept(',')) {
    if (lexer.accept('{')) {
      parse_list(lexer, scopes, '}', operand.parts);
    } else {
      operand.parts.push_back(scalar(lexer, scopes));
    }
  }
  lexer.expect(']');
  return operand;
}

}  // namespace

Operand parse_operand(Lexer& lexer, const Scopes& scopes) {
  if (lexer.accept('[')) return address(lexer, scopes);
  const bool braces = lexer.accept('{');
  if (!braces && !lexer.accept('(')) return scalar(lexer, scopes);
  Operand operand;
  operand.kind = Operand::Kind::kVector;
  parse_list(lexer, scopes, braces ? '}' : ')', operand.parts);
  return operand;
}

void parse_guard(Lexer& lexer, const Scopes& scopes, const Function& function,
                 Statement& statement) {
  statement.guard_negated = lexer.accept('!');
  const std::string_view name = lexer.name("a predicate");
  statement.guard = scopes.find_register(name);
  if (statement.guard < 0 ||
      !function.registers[static_cast<std::size_t>(statement.guard)].predicate) {
    lexer.fail("'" + std::string(name) + "' is no predicate");
  }
}

}  // namespace gk::emulator::ptx
