// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/functions.hpp"

#include <algorithm>
#include <utility>

#include "emulator/ptx/declarations.hpp"
#include "emulator/ptx/locations.hpp"
#include "emulator/ptx/operands.hpp"

namespace gk::emulator::ptx {
namespace {

constexpr std::uint64_t kMostThreads = std::uint64_t{1} << 30;

void skip_to_semicolon(Lexer& lexer) {
  while (!lexer.accept(';')) {
    if (lexer.at_end()) lexer.fail_expected("';'");
    lexer.take();
  }
}

std::array<int, 3> parse_extents(Lexer& lexer) {
  std::array<int, 3> extents{1, 1, 1};
  std::size_t axis = 0;
  do {
    if (axis == extents.size()) lexer.fail("more than three dimensions");
    extents[axis++] = static_cast<int>(lexer.integer(kMostThreads, "a dimension"));
  } while (lexer.accept(','));
  return extents;
}

// Between the parameters and the body.
void parse_directives(Lexer& lexer, Function& function) {
  while (lexer.at_directive()) {
    const std::string_view word = lexer.take().text;
    if (word == ".maxntid" || word == ".reqntid") {
      function.max_threads = parse_extents(lexer);
      function.threads_required = word == ".reqntid";
    } else if (word == ".reqnctapercluster") {
      function.required_cluster = parse_extents(lexer);
    } else if (word == ".minnctapersm" || word == ".maxnctapersm" || word == ".maxnreg" ||
               word == ".maxclusterrank") {
      lexer.integer(kMostThreads, "a number");
    } else if (word == ".pragma") {
      skip_to_semicolon(lexer);
    } else if (word != ".explicitcluster" && word != ".blocksareclusters" && word != ".noreturn") {
      lexer.fail("unknown directive '" + std::string(word) + "'");
    }
  }
}

class Body {
 public:
  Body(Lexer& lexer, Function& function, Budget& budget)
      : lexer_(lexer), function_(function), scopes_(function, budget) {}

  void parse();

 private:
  void directive();
  void variables(Space space);
  void statement();
  void opcode(Statement& statement, std::string_view text);

  Lexer& lexer_;
  Function& function_;
  Scopes scopes_;
  Locations locations_;
  Source source_;
};

void Body::parse() {
  lexer_.expect('{');
  while (true) {
    if (lexer_.accept('{')) {
      scopes_.open(lexer_);
    } else if (lexer_.accept('}')) {
      if (scopes_.outermost()) break;
      scopes_.close();
    } else if (lexer_.at_directive()) {
      directive();
    } else if (!lexer_.accept(';')) {
      statement();
    }
  }
  scopes_.resolve_jumps();
}

void Body::directive() {
  const std::string_view word = lexer_.take().text;
  if (word == ".reg") {
    scopes_.declare_registers(lexer_);
  } else if (word == ".loc") {
    source_ = locations_.parse(lexer_);
  } else if (word == ".shared") {
    variables(Space::kShared);
  } else if (word == ".local") {
    variables(Space::kLocal);
  } else if (word == ".param") {
    parse_variables(lexer_, Space::kParam, false);  // of a call, and calls are not emulated
  } else if (word == ".pragma" || word == ".branchtargets" || word == ".calltargets" ||
             word == ".callprototype") {
    skip_to_semicolon(lexer_);
  } else {
    lexer_.fail("unknown directive '" + std::string(word) + "'");
  }
}

void Body::variables(Space space) {
  for (Variable& variable : parse_variables(lexer_, space, false)) {
    function_.variables.push_back(std::move(variable));
  }
}

void Body::opcode(Statement& statement, std::string_view text) {
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t dot = std::min(text.find('.', from), text.size());
    if (dot == from) lexer_.fail("'" + std::string(text) + "' is no opcode");
    statement.opcode.emplace_back(text.substr(from, dot - from));
    from = dot + 1;
  }
}

void Body::statement() {
  Statement statement;
  statement.source = source_;
  statement.ptx_line = lexer_.peek().line;
  const bool guarded = lexer_.accept('@');
  if (guarded) parse_guard(lexer_, scopes_, function_, statement);
  const std::string_view word = lexer_.name("an opcode");
  if (!guarded && lexer_.accept(':')) return scopes_.label(lexer_, word);
  opcode(statement, word);
  if (statement.opcode.front() == "bra") scopes_.jump(lexer_, lexer_.peek().text);
  while (!lexer_.at(';')) {
    statement.operands.push_back(parse_operand(lexer_, scopes_));
    if (!lexer_.at(';')) lexer_.expect(',');
  }
  lexer_.expect(';');
  function_.statements.push_back(std::move(statement));
}

}  // namespace

std::optional<Function> parse_function(Lexer& lexer, bool is_entry, Budget& budget) {
  Function function;
  function.is_entry = is_entry;
  if (lexer.at('(')) parse_parameters(lexer, function.parameter_bytes);  // what it returns
  function.name = lexer.name("a function's name");
  function.parameter_bytes = 0;
  if (lexer.at('(')) function.parameters = parse_parameters(lexer, function.parameter_bytes);
  parse_directives(lexer, function);
  if (lexer.accept(';')) return std::nullopt;
  Body(lexer, function, budget).parse();
  return function;
}

}  // namespace gk::emulator::ptx
