// SPDX-License-Identifier: Apache-2.0
// From the addresses of a memory instruction to host memory: bounds and alignment are checked here,
// in every space, always.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/interpreter/lanes.hpp"
#include "emulator/memory/device_memory.hpp"

namespace gk::emulator {

class Decoder;

enum class Access : std::uint8_t { kRead, kWrite, kAtomic };

// The space that an instruction names; kGeneric where the address tells. Constant variables lie in
// global memory, but nothing writes them and no DRAM traffic is theirs.
enum class Where : std::uint8_t { kGlobal, kConst, kShared, kLocal, kParam, kGeneric };

// What Instruction::variant holds for memory instructions.
struct Mode {
  Where where;
  Access access;
  bool strong = false;  // atomic, volatile, relaxed, acquire or release: two of these never race
  bool acquires = false, releases = false;
  bool within_block = false;  // .cta: strong among the threads of one block only

  constexpr std::uint16_t packed() const {
    return static_cast<std::uint16_t>(static_cast<int>(where) | static_cast<int>(access) << 3 |
                                      (strong ? 1 << 5 : 0) | (acquires ? 1 << 6 : 0) |
                                      (releases ? 1 << 7 : 0) | (within_block ? 1 << 8 : 0));
  }
  static constexpr Mode unpack(std::uint16_t variant) {
    return {static_cast<Where>(variant & 7), static_cast<Access>(variant >> 3 & 3),
            (variant >> 5 & 1) != 0,         (variant >> 6 & 1) != 0,
            (variant >> 7 & 1) != 0,         (variant >> 8 & 1) != 0};
  }
};

// From the words of an opcode.
Mode mode_of(const Opcode& opcode, Access access);
// The address operand and the mode; global and generic addresses have 64 bits.
void bind_address(Decoder& decoder, const ptx::Operand& operand, Mode mode, Instruction& into);

// One memory instruction of a warp, in one space.
struct Request {
  Mode mode;            // global: device addresses; shared: offsets. Never generic
  std::uint32_t lanes;  // that take part
  std::uint32_t bytes;  // of each lane
  const std::uint64_t* addresses;
};

struct Located {
  std::byte* base = nullptr;  // lane l's bytes are at base + l * bytes, for a full warp
  std::byte* lane[kLanes];    // where base is null; null for lanes that take no part
};

// Any instruction. Throws Fault.
void locate_lanes(Warp& warp, const Instruction& at, std::uint32_t bytes, Located& located);

// Whether global memory is live there. An instruction mostly stays in one allocation.
inline bool is_live(Warp& warp, const Instruction& at, std::uint64_t address, std::uint64_t bytes) {
  Range& recent = warp.recent[at.statement % warp.recent.size()];
  if (recent.contains(address, bytes)) return true;
  recent = DeviceMemory::instance().find(address);
  return recent.contains(address, bytes);
}

// The usual case, inline: a full warp whose lanes read or write side by side in global memory, and
// nobody watches.
inline void locate(Warp& warp, const Instruction& at, std::uint32_t bytes, Located& located) {
  if (warp.all_active && !warp.is_watched && Mode::unpack(at.variant).where == Where::kGlobal) {
    const auto* a = lanes_of<std::uint64_t>(warp, at.a);
    const std::uint64_t first = a[0];
    std::uint64_t apart = 0;
    GK_LANES apart |= a[lane] ^ (first + static_cast<std::uint64_t>(lane) * bytes);
    const std::uint64_t start = first + static_cast<std::uint64_t>(at.displacement);
    const std::uint64_t all = std::uint64_t{kLanes} * bytes;
    if (apart == 0 && start % bytes == 0 && is_live(warp, at, start, all)) {
      located.base = DeviceMemory::instance().host(start);
      return;
    }
  }
  locate_lanes(warp, at, bytes, located);
}

}  // namespace gk::emulator
