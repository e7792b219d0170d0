// SPDX-License-Identifier: Apache-2.0
// PTX as it is written: modules, functions, statements, operands. Names are resolved to registers
// and labels to statements; what an opcode means is the interpreter's business.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gk::emulator::ptx {

// Text that is not PTX as nvcc writes it. The message names the line and what was expected there.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Where the user's own code is: the last .loc, and where that lies in an inlined function, the
// place in the kernel's file that it was inlined into.
struct Source {
  int file = 0;  // key of Module::files; 0 is unknown
  int line = 0;
};

enum class Space : std::uint8_t { kGlobal, kConst, kShared, kLocal, kParam };

struct Register {
  std::string name;  // as declared, "%r7"
  int bytes;         // 2, 4 or 8 (.b8 counts as 2); 4 for a predicate
  bool predicate;
};

struct Operand {
  enum class Kind : std::uint8_t { kRegister, kImmediate, kSymbol, kSink, kVector, kAddress };
  Kind kind = Kind::kSink;
  int reg = -1;                // kRegister: index into Function::registers
  int second = -1;             // kRegister: the predicate of "%r1|%p1"
  bool negated = false;        // kRegister: "!%p1"
  std::string symbol;          // kSymbol: a variable, parameter, function or special register
  std::uint64_t bits = 0;      // kImmediate: integers as 64-bit two's complement; 0f, 0d as bits
  std::int64_t offset = 0;     // kSymbol: "name+8"; kAddress: "[%rd1+-16]"
  std::vector<Operand> parts;  // kVector: the elements; kAddress: the base, then coordinates if any
};

struct Statement {
  std::vector<std::string> opcode;  // split at dots: {"ld", "global", "v4", "u32"}
  int guard = -1;                   // register index of "@%p1", or -1
  bool guard_negated = false;
  std::vector<Operand> operands;
  int target = -1;  // bra: index of the statement branched to (may be one past the last)
  Source source;
  int ptx_line = 0;  // in the module's text, from 1
};

struct Relocation {
  std::uint64_t at;    // byte within the variable
  std::string symbol;  // whose address goes there, in 8 bytes
  std::int64_t offset;
};

struct Variable {
  std::string name;
  Space space;
  std::uint64_t align = 1, bytes = 0;  // bytes 0: dynamic shared memory
  bool is_extern = false;
  std::vector<std::uint8_t> initial;  // may be shorter than bytes: the rest is zero
  std::vector<Relocation> relocations;
};

struct Parameter {
  std::string name;
  std::uint32_t offset, bytes, align;  // within the parameter block
};

struct Function {
  std::string name;
  bool is_entry = false;
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::vector<Register> registers;
  std::vector<Statement> statements;
  std::vector<Variable> variables;        // .shared and .local ones declared in the body
  std::array<int, 3> max_threads{};       // .maxntid or .reqntid; zeros: not said
  bool threads_required = false;          // .reqntid
  std::array<int, 3> required_cluster{};  // .reqnctapercluster; zeros: not said
};

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;                         // "sm_90a"
  std::map<int, std::string> files;           // of .file
  std::map<std::string, Variable> variables;  // module scope: .global, .const, .shared
  std::map<std::string, Function> functions;  // with bodies; declarations are skipped
};

// Throws Error. Bounded: no recursion deeper than 64 blocks, no declared array over 1 GiB.
Module parse(std::string_view text);

}  // namespace gk::emulator::ptx
