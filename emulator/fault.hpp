// SPDX-License-Identifier: Apache-2.0
// What a kernel did wrong, with the place where it did it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gk::emulator {

enum class FaultKind : std::uint8_t {
  kOutOfBounds,    // cudaErrorIllegalAddress
  kMisaligned,     // cudaErrorMisalignedAddress
  kUninitialised,  // the rest are cudaErrorLaunchFailure: a GPU would go on, often wrongly
  kRace,
  kBarrier,      // divergent or mismatched
  kWarpSync,     // bad member mask, source lane not taking part
  kDeadlock,     // nobody can run, or the instruction limit was reached
  kTrap,         // cudaErrorIllegalInstruction
  kUnsupported,  // cudaErrorInvalidPtx: an opcode that the emulator does not know
};

std::string_view name_of(FaultKind kind);

struct Place {
  std::string kernel;  // demangled by Fault; empty: a call of the runtime did it
  std::array<std::uint32_t, 3> block{}, thread{};
  int ptx_line = 0;
  std::string opcode;
  std::string source;  // "file.cu:12", or empty without -lineinfo
};

// what() is one sentence: kind, detail, kernel, block, thread, source line, PTX line. The kind is
// left out where the detail says it ("out-of-bounds store: 4 bytes past ...").
struct Fault : std::runtime_error {
  Fault(FaultKind kind, std::string detail, Place place);
  FaultKind kind;
  std::string detail;
  Place place;
};

}  // namespace gk::emulator
