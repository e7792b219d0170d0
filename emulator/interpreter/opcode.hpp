// SPDX-License-Identifier: Apache-2.0
// How an opcode family says that an instruction is its own: it looks at the words of the opcode and
// returns the handler and the operand widths, or nothing.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/interpreter/code.hpp"

namespace gk::emulator {

// The words of one opcode ("mul.wide.s32") and the widths of its register operands.
class Opcode {
 public:
  Opcode(const ptx::Statement& statement, const ptx::Function& function)
      : statement_(&statement), function_(&function) {}

  const std::string& name() const { return statement_->opcode.front(); }  // "mul"
  const std::string& type() const { return statement_->opcode.back(); }   // "s32"
  // The word at `index` from the end: type(1) of "cvt.rn.f32.s32" is "f32".
  std::string_view type(std::size_t from_end) const {
    const auto& words = statement_->opcode;
    return from_end < words.size() ? std::string_view(words[words.size() - 1 - from_end])
                                   : std::string_view();
  }
  bool has(std::string_view word) const {
    return std::ranges::find(statement_->opcode, word) != statement_->opcode.end();
  }
  std::size_t operands() const { return statement_->operands.size(); }
  // Throws std::out_of_range, which the decoder turns into a refusal.
  const ptx::Operand& operand(std::size_t index) const { return statement_->operands.at(index); }
  // Whether every word of the opcode is one of these: no other may be passed over.
  bool has_only(std::initializer_list<std::string_view> known) const {
    return std::ranges::all_of(statement_->opcode, [&](const std::string& word) {
      return std::ranges::find(known, word) != known.end();
    });
  }
  // Bytes of one lane of a register operand; 0 where it is no register.
  int register_bytes(std::size_t index) const {
    if (index >= operands() || operand(index).reg < 0) return 0;
    return function_->registers[static_cast<std::size_t>(operand(index).reg)].bytes;
  }
  const ptx::Statement& statement() const { return *statement_; }

 private:
  const ptx::Statement* statement_;
  const ptx::Function* function_;
};

// A family's answer. Widths are of one lane as the handler reads or writes it: a, b, c (d is as c),
// to. They tell how wide an immediate is laid out, and registers are held to them; a predicate
// is 4.
struct Match {
  Handler run = nullptr;
  std::uint8_t a = 0, b = 0, c = 0;
  Class kind = Class::kOther;
  std::uint8_t to = 0;  // 0: the family looked at the register itself
  explicit operator bool() const { return run != nullptr; }
};

// Operands of these families are plain: one destination (perhaps "%r|%p": the predicate is then
// to[1]), then sources a, b, c, d. The decoder binds them.
Match find_integer(const Opcode& opcode);  // add sub mul mad mul24 div rem abs neg min max sad ...
Match find_bits(const Opcode& opcode);     // and or xor not shl shr shf bfe bfi brev popc clz bfind
                                           // prmt lop3 fns
Match find_float(const Opcode& opcode);    // f32 f64: add sub mul fma div rcp sqrt abs neg min max
Match find_half(const Opcode& opcode);     // bf16 bf16x2 f16 f16x2
Match find_approximate(const Opcode& opcode);  // ex2 lg2 rcp rsqrt sqrt div sin cos tanh
Match find_convert(const Opcode& opcode);      // cvt, one source or two (packing)
Match find_compare(const Opcode& opcode);  // setp set selp slct testp; setp's "%p|%q": q is to[1]
Match find_move(const Opcode& opcode);     // mov of registers and immediates, cvta of none

}  // namespace gk::emulator
