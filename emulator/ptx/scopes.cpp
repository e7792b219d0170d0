// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/scopes.hpp"

#include <algorithm>

#include "emulator/ptx/declarations.hpp"

namespace gk::emulator::ptx {
namespace {

constexpr int kMostNested = 64;

// From the scope outwards, the one that has the name; -1 where none has.
template <class Scope, class Names>
int find_outwards(const std::vector<Scope>& scopes, std::size_t scope, Names Scope::*names,
                  const std::string& name) {
  while (true) {
    const auto found = (scopes[scope].*names).find(name);
    if (found != (scopes[scope].*names).end()) return found->second;
    if (scope == 0) return -1;
    scope = scopes[scope].parent;
  }
}

}  // namespace

void Scopes::open(const Lexer& lexer) {
  int depth = 1;
  for (std::size_t scope = current_; scope != 0; scope = scopes_[scope].parent) ++depth;
  if (depth >= kMostNested) lexer.fail("blocks are nested more than 64 deep");
  scopes_.push_back({.parent = current_});
  current_ = scopes_.size() - 1;
}

void Scopes::declare(const Lexer& lexer, const std::string& name, std::string_view type) {
  const bool predicate = type == ".pred";
  const int bytes = predicate ? 4 : std::max(2, type_bytes(type));
  const int index = static_cast<int>(function_.registers.size());
  if (!scopes_[current_].registers.emplace(name, index).second) {
    lexer.fail("register '" + name + "' is declared twice");
  }
  function_.registers.push_back({.name = name, .bytes = bytes, .predicate = predicate});
}

void Scopes::declare_registers(Lexer& lexer) {
  const std::string_view type = lexer.word("a type");
  if (type != ".pred" && type_bytes(type) == 0) {
    lexer.fail("no registers of type '" + std::string(type) + "'");
  }
  do {
    const std::string name(lexer.name("a register's name"));
    const bool range = lexer.accept('<');
    const std::uint64_t count = range ? lexer.integer(budget_.registers, "a register count") : 1;
    if (range) lexer.expect('>');
    if (count > budget_.registers) lexer.fail("too many registers in one module");
    budget_.registers -= count;
    for (std::uint64_t i = 0; i < count; ++i) {
      declare(lexer, range ? name + std::to_string(i) : name, type);
    }
  } while (lexer.accept(','));
  lexer.expect(';');
}

int Scopes::find_register(std::string_view name) const {
  return find_outwards(scopes_, current_, &Scope::registers, std::string(name));
}

void Scopes::label(const Lexer& lexer, std::string_view name) {
  const int statement = static_cast<int>(function_.statements.size());
  if (!scopes_[current_].labels.emplace(std::string(name), statement).second) {
    lexer.fail("label '" + std::string(name) + "' stands twice");
  }
}

void Scopes::jump(const Lexer& lexer, std::string_view label) {
  jumps_.push_back({.statement = function_.statements.size(),
                    .scope = current_,
                    .label = std::string(label),
                    .line = lexer.peek().line});
}

int Scopes::find_label(const Jump& jump) const {
  return find_outwards(scopes_, jump.scope, &Scope::labels, jump.label);
}

void Scopes::resolve_jumps() {
  for (const Jump& jump : jumps_) {
    const int target = find_label(jump);
    if (target < 0) {
      throw Error("PTX line " + std::to_string(jump.line) + ": no label '" + jump.label + "'");
    }
    function_.statements[jump.statement].target = target;
  }
}

}  // namespace gk::emulator::ptx
