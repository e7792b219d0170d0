// SPDX-License-Identifier: Apache-2.0
// Branches and ends, and what means nothing here: hints, and waiting for a former kernel (launches
// run one after the other).
#include "emulator/interpreter/ops/control.hpp"

#include "emulator/interpreter/decode.hpp"
#include "emulator/interpreter/warp.hpp"

namespace gk::emulator {
namespace {

Flow branch(Warp&, const Instruction&) { return Flow::kBranch; }
Flow end(Warp&, const Instruction&) { return Flow::kExit; }
Flow nothing(Warp&, const Instruction&) { return Flow::kNext; }

Flow trap(Warp& warp, const Instruction& at) {
  raise(FaultKind::kTrap, "the kernel trapped", warp, at, warp.first_lane());
}

}  // namespace

Instruction end_of_kernel(std::size_t position) {
  Instruction made;
  made.run = &end;
  made.statement = static_cast<std::uint32_t>(position);
  return made;
}

bool decode_control(Decoder& decoder, const Opcode& opcode, Instruction& into) {
  const std::string& name = opcode.name();
  if (name == "bra") {
    const int target = opcode.statement().target;
    if (target < 0) decoder.refuse(opcode.statement(), "its target");
    into.run = &branch;
    into.target = static_cast<std::uint32_t>(target);
  } else if (name == "ret" || name == "exit") {
    into.run = &end;
  } else if (name == "trap" || name == "brkpt") {
    into.run = &trap;
  } else if (name == "prefetch" || name == "prefetchu" || name == "nanosleep" ||
             name == "pmevent" || name == "griddepcontrol") {
    into.run = &nothing;
  } else {
    return false;
  }
  return true;
}

}  // namespace gk::emulator
