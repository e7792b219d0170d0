// SPDX-License-Identifier: Apache-2.0
// PTX statements to instructions: registers get their places, symbols their addresses, opcodes
// their handlers. A family either knows every word of an opcode or leaves it alone; what nobody
// knows is a fault that names it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emulator/interpreter/code.hpp"
#include "emulator/interpreter/opcode.hpp"

namespace gk::emulator {

// Device address of a module-scope variable, or 0 where there is none of that name.
using VariableAddress = std::function<std::uint64_t(const std::string& name)>;

class Decoder {
 public:
  Decoder(const ptx::Module& module, const ptx::Function& function, VariableAddress addresses);
  // Throws Fault (kUnsupported).
  std::unique_ptr<Kernel> decode();

  // For the families whose operands are not plain.
  Slot destination(const ptx::Operand& operand);
  // For "_": a register that nobody reads.
  Slot sink(std::uint8_t bytes) { return {reserve(bytes), false, false, bytes}; }
  // `bytes`: how wide the handler reads a lane of an immediate or an address.
  Slot source(const ptx::Operand& operand, std::uint8_t bytes);
  Slot predicate(int reg);
  Slot constant(std::uint64_t bits, std::uint8_t bytes);
  // Refuses a register that is not of that width, or not of predicates.
  const Slot& require(const Slot& slot, std::uint8_t bytes) const;
  const Slot& require_predicate(const Slot& slot) const;
  // A memory operand's base and displacement into `a` and `displacement`.
  void address(const ptx::Operand& operand, Instruction& into);
  // Whether the address is a place within the parameters that is known now; then `displacement` is
  // that place.
  bool fold_parameter(Instruction& into, std::int64_t bytes) const;
  [[noreturn]] void refuse(const ptx::Statement& statement, const std::string& why) const;

 private:
  void place_variables();
  Instruction decode_statement(const ptx::Statement& statement);
  bool decode_plain(const ptx::Statement& statement, Instruction& into);
  void bind(const ptx::Statement& statement, const Match& match, Instruction& into);
  bool decode_any(const ptx::Statement& statement, Instruction& into);
  Slot symbol(const ptx::Operand& operand, std::uint8_t bytes);
  Slot special(const std::string& name);
  std::uint32_t reserve(std::uint32_t lane_bytes);

  const ptx::Module* module_;
  const ptx::Function* function_;
  VariableAddress addresses_;
  std::unique_ptr<Kernel> kernel_;
  std::vector<std::uint32_t> places_;             // of the registers; kNotPlaced until first used
  std::map<std::string, std::uint64_t> symbols_;  // shared, local, parameters
  std::map<std::pair<std::uint64_t, std::uint8_t>, std::uint32_t> constants_;
  const ptx::Statement* present_ = nullptr;
};

// Families whose operands are not plain: false where the opcode is not theirs.
bool decode_memory(Decoder& decoder, const Opcode& opcode, Instruction& into);  // ld st
bool decode_atomic(Decoder& decoder, const Opcode& opcode, Instruction& into);  // atom red
bool decode_warp(Decoder& decoder, const Opcode& opcode, Instruction& into);    // shfl vote ...
bool decode_synchronise(Decoder& decoder, const Opcode& opcode, Instruction& into);  // bar membar
bool decode_control(Decoder& decoder, const Opcode& opcode, Instruction& into);      // bra ret trap
bool decode_address(Decoder& decoder, const Opcode& opcode, Instruction& into);  // cvta isspacep
bool decode_pack(Decoder& decoder, const Opcode& opcode, Instruction& into);     // mov {a, b}

}  // namespace gk::emulator
