// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/declarations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

namespace gk::emulator::ptx {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostAlign = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostParameterBytes = std::uint64_t{1} << 20;

std::uint64_t parse_align(Lexer& lexer) {
  const std::uint64_t align = lexer.integer(kMostAlign, "an alignment");
  if (!std::has_single_bit(align)) lexer.fail("an alignment is a power of two");
  return align;
}

// The words between the state space and the name, as ".align 4 .b8" or ".v4 .f32".
struct Element {
  std::uint64_t align = 0, bytes = 0, scalar_bytes = 0;
};

Element parse_element(Lexer& lexer) {
  Element element;
  std::uint64_t lanes = 1;
  bool pointer = false;  // what follows .ptr tells of the pointee
  while (lexer.at_directive()) {
    const std::string_view word = lexer.take().text;
    if (word == ".align") {
      const std::uint64_t align = parse_align(lexer);
      if (!pointer) element.align = align;
    } else if (word == ".attribute") {
      lexer.expect('(');
      while (!lexer.accept(')')) {
        if (lexer.at_end()) lexer.fail_expected("')'");
        lexer.take();
      }
    } else if (word == ".v2" || word == ".v4") {
      lanes = word == ".v2" ? 2 : 4;
    } else if (word == ".ptr") {
      pointer = true;
    } else if (type_bytes(word) != 0) {
      element.scalar_bytes = static_cast<std::uint64_t>(type_bytes(word));
    } else if (!pointer) {
      lexer.fail("unexpected '" + std::string(word) + "' in a declaration");
    }
  }
  if (element.scalar_bytes == 0) lexer.fail_expected("a type");
  element.bytes = element.scalar_bytes * lanes;
  element.align = std::max(element.align, element.bytes);
  return element;
}

// "[2][3]" gives 6, "[]" gives 0, nothing gives 1.
std::uint64_t parse_extent(Lexer& lexer, std::uint64_t element_bytes) {
  std::uint64_t count = 1;
  while (lexer.accept('[')) {
    count *= lexer.at(']') ? 0 : lexer.integer(kMostBytes, "an array size");
    lexer.expect(']');
    if (count * element_bytes > kMostBytes) lexer.fail("an array of more than 1 GiB");
  }
  return count;
}

// "symbol", "generic(symbol)", each perhaps with "+4".
void parse_relocation(Lexer& lexer, Variable& variable, std::uint64_t scalar_bytes) {
  if (scalar_bytes != 8) lexer.fail("an address needs an element of 8 bytes");
  Relocation relocation{.at = variable.initial.size(), .symbol = {}, .offset = 0};
  if (lexer.accept("generic")) {
    lexer.expect('(');
    relocation.symbol = lexer.name("a variable");
    lexer.expect(')');
  } else {
    relocation.symbol = lexer.name("a variable");
  }
  if (lexer.accept('+')) {
    relocation.offset = static_cast<std::int64_t>(lexer.number("an offset"));
  }
  variable.relocations.push_back(std::move(relocation));
}

void parse_value(Lexer& lexer, Variable& variable, std::uint64_t scalar_bytes) {
  if (variable.initial.size() + scalar_bytes > variable.bytes) {
    lexer.fail("an initialiser is longer than its variable");
  }
  std::uint64_t value = 0;
  if (lexer.at_number()) {
    value = lexer.number("a number");
  } else {
    parse_relocation(lexer, variable, scalar_bytes);
  }
  for (std::uint64_t byte = 0; byte < scalar_bytes; ++byte) {
    variable.initial.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
  }
}

void parse_initialiser(Lexer& lexer, Variable& variable, std::uint64_t scalar_bytes) {
  if (!lexer.accept('{')) return parse_value(lexer, variable, scalar_bytes);
  while (!lexer.accept('}')) {
    parse_value(lexer, variable, scalar_bytes);
    if (!lexer.at('}')) lexer.expect(',');
  }
}

Parameter parse_parameter(Lexer& lexer, std::uint64_t& end) {
  if (!lexer.accept(".param")) lexer.fail_expected("'.param'");
  const Element element = parse_element(lexer);
  const std::string name(lexer.name("a parameter's name"));
  const std::uint64_t bytes = element.bytes * parse_extent(lexer, element.bytes);
  const std::uint64_t offset = (end + element.align - 1) / element.align * element.align;
  end = offset + bytes;
  if (end > kMostParameterBytes) lexer.fail("parameters of more than 1 MiB");
  return {.name = name,
          .offset = static_cast<std::uint32_t>(offset),
          .bytes = static_cast<std::uint32_t>(bytes),
          .align = static_cast<std::uint32_t>(element.align)};
}

}  // namespace

int type_bytes(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, int>, 18> kTypes = {{{".b8", 1},
                                                                        {".u8", 1},
                                                                        {".s8", 1},
                                                                        {".b16", 2},
                                                                        {".u16", 2},
                                                                        {".s16", 2},
                                                                        {".f16", 2},
                                                                        {".bf16", 2},
                                                                        {".b32", 4},
                                                                        {".u32", 4},
                                                                        {".s32", 4},
                                                                        {".f32", 4},
                                                                        {".f16x2", 4},
                                                                        {".bf16x2", 4},
                                                                        {".b64", 8},
                                                                        {".u64", 8},
                                                                        {".s64", 8},
                                                                        {".f64", 8}}};
  const auto* found = std::ranges::find(kTypes, word, &std::pair<std::string_view, int>::first);
  return found == kTypes.end() ? 0 : found->second;
}

std::vector<Variable> parse_variables(Lexer& lexer, Space space, bool is_extern) {
  const Element element = parse_element(lexer);
  std::vector<Variable> variables;
  do {
    Variable variable{.name = std::string(lexer.name("a variable's name")),
                      .space = space,
                      .align = element.align,
                      .bytes = 0,
                      .is_extern = is_extern,
                      .initial = {},
                      .relocations = {}};
    variable.bytes = element.bytes * parse_extent(lexer, element.bytes);
    if (lexer.accept('=')) parse_initialiser(lexer, variable, element.scalar_bytes);
    variables.push_back(std::move(variable));
  } while (lexer.accept(','));
  lexer.expect(';');
  return variables;
}

std::vector<Parameter> parse_parameters(Lexer& lexer, std::uint32_t& bytes) {
  std::vector<Parameter> parameters;
  std::uint64_t end = 0;
  lexer.expect('(');
  while (!lexer.accept(')')) {
    parameters.push_back(parse_parameter(lexer, end));
    if (!lexer.at(')')) lexer.expect(',');
  }
  bytes = static_cast<std::uint32_t>(end);
  return parameters;
}

}  // namespace gk::emulator::ptx
