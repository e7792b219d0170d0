// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/lexer.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace gk::emulator::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

// All of `digits`, and only digits of that base.
std::optional<std::uint64_t> digits_of(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> integer_of(std::string_view word) {
  if (word.size() > 1 && word.back() == 'U') word.remove_suffix(1);
  if (word.size() > 2 && word[0] == '0') {
    if (word[1] == 'x' || word[1] == 'X') return digits_of(word.substr(2), 16);
    if (word[1] == 'b' || word[1] == 'B') return digits_of(word.substr(2), 2);
  }
  if (word.size() > 1 && word[0] == '0') return digits_of(word.substr(1), 8);
  return digits_of(word, 10);
}

// How many hexadecimal digits a literal "0f..." or "0d..." has; 0 for other words.
std::size_t float_digits(std::string_view word) {
  if (word.size() < 3 || word[0] != '0') return 0;
  if (word[1] == 'f' || word[1] == 'F') return 8;
  return word[1] == 'd' || word[1] == 'D' ? 16 : 0;
}

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text) { advance(); }

Token Lexer::take() {
  const Token taken = token_;
  advance();
  return taken;
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      line_ += c == '\n' ? 1 : 0;
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) fail("a comment does not end");
      line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                           text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      at_ = end + 2;
    } else {
      return;
    }
  }
}

// "::" belongs to a word ("shared::cta"), a single colon ends a label.
std::size_t Lexer::word_end(std::size_t from) const {
  std::size_t end = from;
  while (end < text_.size()) {
    if (is_word(text_[end])) {
      ++end;
    } else if (text_.substr(end, 2) == "::" && end > from) {
      end += 2;
    } else {
      break;
    }
  }
  return end;
}

void Lexer::advance() {
  skip_blanks();
  token_ = {.kind = Token::Kind::kEnd, .text = {}, .line = line_};
  if (at_ == text_.size()) return;
  if (text_[at_] == '"') {
    const std::size_t end = text_.find_first_of("\"\n", at_ + 1);
    if (end == std::string_view::npos || text_[end] == '\n') fail("a string does not end");
    token_.kind = Token::Kind::kString;
    token_.text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return;
  }
  std::size_t end = word_end(at_);
  token_.kind = end > at_ ? Token::Kind::kWord : Token::Kind::kPunctuation;
  end = std::max(end, at_ + 1);
  token_.text = text_.substr(at_, end - at_);
  at_ = end;
}

bool Lexer::accept(char mark) {
  if (!at(mark)) return false;
  advance();
  return true;
}

bool Lexer::accept(std::string_view word) {
  if (!at_word(word)) return false;
  advance();
  return true;
}

void Lexer::expect(char mark) {
  if (!accept(mark)) fail_expected(std::string("'") + mark + "'");
}

std::string_view Lexer::word(std::string_view what) {
  if (token_.kind != Token::Kind::kWord) fail_expected(what);
  return take().text;
}

std::string_view Lexer::name(std::string_view what) {
  if (at_number() || at_directive()) fail_expected(what);
  return word(what);
}

std::string_view Lexer::string(std::string_view what) {
  if (token_.kind != Token::Kind::kString) fail_expected(what);
  return take().text;
}

bool Lexer::at_number() const {
  return at('-') || (token_.kind == Token::Kind::kWord && is_digit(token_.text.front()));
}

std::uint64_t Lexer::integer(std::uint64_t most, std::string_view what) {
  if (token_.kind != Token::Kind::kWord) fail_expected(what);
  const auto value = integer_of(token_.text);
  if (!value) fail_expected(what);
  if (*value > most) fail(std::string(what) + ": at most " + std::to_string(most));
  advance();
  return *value;
}

std::uint64_t Lexer::number(std::string_view what) {
  const bool minus = accept('-');
  if (token_.kind != Token::Kind::kWord) fail_expected(what);
  const std::size_t digits = float_digits(token_.text);
  const auto value = digits == 0                        ? integer_of(token_.text)
                     : token_.text.size() == digits + 2 ? digits_of(token_.text.substr(2), 16)
                                                        : std::nullopt;
  if (!value) fail_expected(what);
  advance();
  if (!minus) return *value;
  return digits == 0 ? 0 - *value : *value ^ (std::uint64_t{1} << (digits * 4 - 1));
}

void Lexer::fail(std::string_view message) const {
  throw Error("PTX line " + std::to_string(token_.line != 0 ? token_.line : line_) + ": " +
              std::string(message));
}

void Lexer::fail_expected(std::string_view what) const {
  const std::string found =
      at_end() ? "the end of the text" : "'" + std::string(token_.text.substr(0, 40)) + "'";
  fail("expected " + std::string(what) + ", found " + found);
}

}  // namespace gk::emulator::ptx
