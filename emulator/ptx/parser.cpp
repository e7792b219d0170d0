// SPDX-License-Identifier: Apache-2.0
// The module's level: what stands outside of functions.
#include <charconv>
#include <limits>
#include <utility>

#include "emulator/ptx/declarations.hpp"
#include "emulator/ptx/functions.hpp"
#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/locations.hpp"
#include "emulator/ptx/module.hpp"

namespace gk::emulator::ptx {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  Module parse() {
    while (!lexer_.at_end()) directive(lexer_.word("a directive"));
    return std::move(module_);
  }

 private:
  void directive(std::string_view word);
  void version();
  void target();
  void file();
  void section();
  void variables(Space space);
  void function(bool is_entry);

  Lexer lexer_;
  Module module_;
  Budget budget_;
  bool is_extern_ = false;  // said before the next declaration
};

void Parser::directive(std::string_view word) {
  if (word == ".extern") {
    is_extern_ = true;
    return;
  }
  if (word == ".visible" || word == ".weak" || word == ".common") return;
  if (word == ".version") {
    version();
  } else if (word == ".target") {
    target();
  } else if (word == ".address_size") {
    if (lexer_.integer(64, "64") != 64) lexer_.fail("addresses have 64 bits");
  } else if (word == ".file") {
    file();
  } else if (word == ".section") {
    section();
  } else if (word == ".loc") {
    Locations().parse(lexer_);
  } else if (word == ".pragma") {
    lexer_.string("a string");
    lexer_.expect(';');
  } else if (word == ".global") {
    variables(Space::kGlobal);
  } else if (word == ".const") {
    variables(Space::kConst);
  } else if (word == ".shared") {
    variables(Space::kShared);
  } else if (word == ".entry" || word == ".func") {
    function(word == ".entry");
  } else {
    lexer_.fail("unknown directive '" + std::string(word) + "'");
  }
  is_extern_ = false;
}

void Parser::version() {
  const std::string_view word = lexer_.word("a version");
  const char* end = word.data() + word.size();
  const auto major = std::from_chars(word.data(), end, module_.version_major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') {
    lexer_.fail("a version is two numbers with a dot");
  }
  const auto minor = std::from_chars(major.ptr + 1, end, module_.version_minor);
  if (minor.ec != std::errc() || minor.ptr != end) {
    lexer_.fail("a version is two numbers with a dot");
  }
}

void Parser::target() {
  module_.target = lexer_.name("a target");
  while (lexer_.accept(',')) lexer_.name("a target's option");
}

// ".file 1 "name"", perhaps with a time and a size behind it.
void Parser::file() {
  const auto key = lexer_.integer(std::numeric_limits<int>::max(), "a file's number");
  module_.files[static_cast<int>(key)] = lexer_.string("a file's name");
  while (lexer_.accept(',')) lexer_.number("a number");
}

// Debug information, of no use here.
void Parser::section() {
  lexer_.word("a section's name");
  lexer_.expect('{');
  while (!lexer_.accept('}')) {
    if (lexer_.at_end()) lexer_.fail_expected("'}'");
    lexer_.take();
  }
}

void Parser::variables(Space space) {
  for (Variable& variable : parse_variables(lexer_, space, is_extern_)) {
    const auto [known, is_new] = module_.variables.try_emplace(variable.name, variable);
    if (is_new || variable.is_extern) continue;
    if (!known->second.is_extern) lexer_.fail("'" + variable.name + "' is defined twice");
    known->second = std::move(variable);
  }
}

void Parser::function(bool is_entry) {
  auto function = parse_function(lexer_, is_entry, budget_);
  if (!function) return;
  const std::string name = function->name;
  if (!module_.functions.try_emplace(name, std::move(*function)).second) {
    lexer_.fail("'" + name + "' is defined twice");
  }
}

}  // namespace

Module parse(std::string_view text) { return Parser(text).parse(); }

}  // namespace gk::emulator::ptx
