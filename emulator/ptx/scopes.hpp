// SPDX-License-Identifier: Apache-2.0
// The blocks of a function's body: each may declare registers and labels that hide those outside,
// which inline assembly does ("{ .reg .pred p; L: ... bra L; }").
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"

namespace gk::emulator::ptx {

// How many registers a module may still declare: "%r<1000000000>" shall not take the memory.
struct Budget {
  std::uint64_t registers = std::uint64_t{1} << 20;
};

class Scopes {
 public:
  Scopes(Function& function, Budget& budget) : function_(function), budget_(budget) {}

  void open(const Lexer& lexer);
  void close() { current_ = scopes_[current_].parent; }
  bool outermost() const { return current_ == 0; }

  // Reads what follows ".reg".
  void declare_registers(Lexer& lexer);
  // Index into Function::registers, or -1.
  int find_register(std::string_view name) const;

  void label(const Lexer& lexer, std::string_view name);
  // The statement that comes next jumps to the label, which may stand further down.
  void jump(const Lexer& lexer, std::string_view label);
  // At the end of the body. Throws Error for a label that is nowhere.
  void resolve_jumps();

 private:
  struct Scope {
    std::size_t parent = 0;
    std::unordered_map<std::string, int> registers = {}, labels = {};
  };
  struct Jump {
    std::size_t statement, scope;
    std::string label;
    int line;
  };
  void declare(const Lexer& lexer, const std::string& name, std::string_view type);
  int find_label(const Jump& jump) const;

  Function& function_;
  Budget& budget_;
  std::vector<Scope> scopes_{1};
  std::size_t current_ = 0;
  std::vector<Jump> jumps_;
};

}  // namespace gk::emulator::ptx
