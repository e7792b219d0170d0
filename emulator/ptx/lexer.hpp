// SPDX-License-Identifier: Apache-2.0
// PTX text as words, strings and single punctuation marks. A word is a name, a number, an opcode or
// a directive: "%tid.x", "0f3F800000", "ld.shared::cta.u32", ".entry".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/ptx/module.hpp"

namespace gk::emulator::ptx {

struct Token {
  enum class Kind { kWord, kString, kPunctuation, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;  // of a string without its quotes
  int line = 0;
};

// One token of lookahead. Everything here throws Error, with the line, where the text is otherwise.
class Lexer {
 public:
  explicit Lexer(std::string_view text);

  const Token& peek() const { return token_; }
  Token take();

  bool at(char mark) const {
    return token_.kind == Token::Kind::kPunctuation && token_.text.front() == mark;
  }
  bool at_word(std::string_view word) const {
    return token_.kind == Token::Kind::kWord && token_.text == word;
  }
  bool at_end() const { return token_.kind == Token::Kind::kEnd; }
  bool at_directive() const {
    return token_.kind == Token::Kind::kWord && token_.text.front() == '.';
  }

  bool accept(char mark);
  bool accept(std::string_view word);
  // `what` completes "expected ...".
  void expect(char mark);
  std::string_view word(std::string_view what);
  std::string_view name(std::string_view what);  // a word that is no number and no directive
  std::string_view string(std::string_view what);
  std::uint64_t integer(std::uint64_t most, std::string_view what);
  // A number with its sign: two's complement, or the bits of a 0f or 0d literal.
  std::uint64_t number(std::string_view what);
  bool at_number() const;

  [[noreturn]] void fail(std::string_view message) const;
  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  void skip_blanks();
  void advance();
  std::size_t word_end(std::size_t from) const;

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  Token token_;
};

}  // namespace gk::emulator::ptx
