// SPDX-License-Identifier: Apache-2.0
// A decoded kernel: what the warps execute. Everything that can be looked up is looked up here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace gk::emulator {

struct Warp;
struct Instruction;

// What the warp does after a handler ran.
enum class Flow : std::uint8_t {
  kNext,     // on to the next instruction
  kBranch,   // the active lanes go to Instruction::target
  kExit,     // the active lanes end
  kGather,   // not all lanes that take part are here: wait at this instruction for them
  kBlocked,  // the lanes wait at a barrier, past this instruction
};
using Handler = Flow (*)(Warp&, const Instruction&);

// Where an operand's 32 lanes lie, side by side: in the warp's registers, or among the kernel's
// constants (immediates and addresses, the same in all lanes). A predicate is one 32-bit mask.
struct Slot {
  std::uint32_t offset = 0;  // bytes
  bool constant = false;
  bool negated = false;    // of a predicate source
  std::uint8_t bytes = 0;  // of one lane; 0: the operand is absent
  bool predicate = false;  // a register of predicates
};

// What an instruction is counted as by the audit.
enum class Class : std::uint8_t {
  kOther,  // moves, conversions, control
  kMultiplyAdd,
  kFloat,
  kSpecial,
  kInteger,
  kMemory,
  kSync,
};
constexpr std::size_t kClasses = 7;

struct Instruction {
  Handler run = nullptr;
  std::array<Slot, 4> to;         // destinations; the value of a store
  Slot a, b, c, d;                // sources; a is the address of a memory access
  std::int64_t displacement = 0;  // added to the address
  std::int32_t guard = -1;        // byte offset of the guarding predicate, or -1
  bool guard_negated = false;
  std::uint16_t variant = 0;  // the family's own
  Class kind = Class::kOther;
  std::uint32_t target = 0;     // of a branch
  std::uint32_t statement = 0;  // index into Function::statements, for messages
};

struct alignas(64) ConstantBytes {
  std::byte bytes[64];
};

struct SpecialRegister {
  std::string name;  // "%tid.x"
  std::uint32_t offset;
  std::uint8_t bytes;
};

struct Kernel {
  std::string name;           // as in PTX
  const ptx::Module* module;  // outlives the kernel
  const ptx::Function* function;
  std::vector<Instruction> code;
  std::vector<ConstantBytes> constants;
  std::vector<SpecialRegister> special;  // filled in when a warp starts
  std::uint32_t register_bytes = 0;      // of one warp
  std::uint32_t static_shared_bytes = 0, local_bytes = 0;
  std::uint32_t dynamic_shared_align = 1;
  bool uses_dynamic_shared = false;
};

// Dynamic shared memory begins behind the static variables.
constexpr std::uint32_t kSharedAlignment = 1024;  // of shared memory as a whole: TMA swizzles
inline std::uint32_t dynamic_shared_offset(const Kernel& kernel) {
  const std::uint32_t align = kernel.dynamic_shared_align;
  return (kernel.static_shared_bytes + align - 1) / align * align;
}
inline std::uint32_t shared_bytes_of(const Kernel& kernel, std::uint32_t dynamic_bytes) {
  return (kernel.uses_dynamic_shared ? dynamic_shared_offset(kernel) : kernel.static_shared_bytes) +
         dynamic_bytes;
}

}  // namespace gk::emulator
