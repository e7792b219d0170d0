// SPDX-License-Identifier: Apache-2.0
#include "emulator/interpreter/ops/locate.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>

#include "emulator/checks/watch.hpp"
#include "emulator/interpreter/block.hpp"
#include "emulator/interpreter/decode.hpp"

namespace gk::emulator {
namespace {

const char* verb(Access access) {
  if (access == Access::kRead) return "load";
  return access == Access::kWrite ? "store" : "atomic";
}

constexpr std::size_t kSpaces = 5;  // of Where, but for kGeneric

struct Lane {
  Warp& warp;
  const Instruction& at;
  Mode mode;
  int lane;
  std::uint32_t bytes;

  [[noreturn]] void out_of_bounds(const std::string& why) const {
    raise(FaultKind::kOutOfBounds,
          std::string("out-of-bounds ") + verb(mode.access) + " of " + std::to_string(bytes) +
              " bytes: " + why,
          warp, at, lane);
  }
  void check_aligned(std::uint64_t address) const {
    if (address % bytes == 0) return;
    raise(FaultKind::kMisaligned,
          std::string("misaligned ") + verb(mode.access) + " of " + std::to_string(bytes) +
              " bytes, " + std::to_string(address % bytes) + " past a multiple of that",
          warp, at, lane);
  }
  // A space that is an array of `size` bytes.
  std::byte* within(std::byte* start, std::uint64_t offset, std::uint64_t size,
                    const char* what) const {
    check_aligned(offset);
    if (offset > size || bytes > size - offset) {
      out_of_bounds("byte " + std::to_string(static_cast<std::int64_t>(offset)) + " of " + what +
                    " that has " + std::to_string(size));
    }
    return start + offset;
  }
};

// A generic address falls into one of the windows, or is a global one.
Where window_of(std::uint64_t address) {
  if (address - kSharedWindow < kWindowBytes) return Where::kShared;
  if (address - kLocalWindow < kWindowBytes) return Where::kLocal;
  if (address - kParamWindow < kWindowBytes) return Where::kParam;
  return Where::kGlobal;
}

std::byte* locate_lane(const Lane& lane, Where where, std::uint64_t address) {
  Block& block = *lane.warp.block;
  switch (where) {
    case Where::kShared:
      return lane.within(block.shared, address, block.shared_bytes, "the block's shared memory");
    case Where::kLocal:
      return lane.within(block.local(lane.warp.thread(lane.lane)), address, block.local_bytes(),
                         "the thread's local memory");
    case Where::kParam: {
      if (lane.mode.access != Access::kRead) lane.out_of_bounds("the parameters are read-only");
      const auto& parameters = block.grid->configuration->parameters;
      return lane.within(const_cast<std::byte*>(parameters.data()), address, parameters.size(),
                         "the parameters");
    }
    default:
      break;
  }
  lane.check_aligned(address);
  const DeviceMemory& memory = DeviceMemory::instance();
  if (!is_live(lane.warp, lane.at, address, lane.bytes)) {
    lane.out_of_bounds(memory.explain(address, lane.bytes));
  }
  return memory.host(address);
}

// Addresses as the instruction computes them: 32 bits where the register has 32 (the sum wraps).
std::uint64_t address_of(const Warp& warp, const Instruction& at, int lane) {
  const auto displacement = static_cast<std::uint64_t>(at.displacement);
  if (at.a.bytes == 8) return lanes_of<std::uint64_t>(warp, at.a)[lane] + displacement;
  return static_cast<std::uint32_t>(lanes_of<std::uint32_t>(warp, at.a)[lane] + displacement);
}

Where space_of(const Opcode& opcode) {
  if (opcode.has("global")) return Where::kGlobal;
  if (opcode.has("const")) return Where::kConst;
  if (opcode.has("shared") || opcode.has("shared::cta")) return Where::kShared;
  if (opcode.has("local")) return Where::kLocal;
  if (opcode.has("param")) return Where::kParam;
  return Where::kGeneric;
}

}  // namespace

Mode mode_of(const Opcode& opcode, Access access) {
  const bool acquires = opcode.has("acquire") || opcode.has("acq_rel");
  const bool releases = opcode.has("release") || opcode.has("acq_rel");
  const bool strong = access == Access::kAtomic || acquires || releases || opcode.has("volatile") ||
                      opcode.has("relaxed");
  return {space_of(opcode), access, strong, acquires, releases, opcode.has("cta")};
}

void bind_address(Decoder& decoder, const ptx::Operand& operand, Mode mode, Instruction& into) {
  decoder.address(operand, into);
  if (mode.where != Where::kShared && mode.where != Where::kLocal) decoder.require(into.a, 8);
  into.variant = mode.packed();
}

void locate_lanes(Warp& warp, const Instruction& at, std::uint32_t bytes, Located& located) {
  const Mode mode = Mode::unpack(at.variant);
  alignas(64) std::uint64_t addresses[kLanes];
  std::fill(std::begin(located.lane), std::end(located.lane), nullptr);
  std::uint32_t in_space[kSpaces] = {};  // lanes by Where, generic resolved
  for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    addresses[lane] = address_of(warp, at, lane);
    Where where = mode.where;
    if (where == Where::kGeneric) {
      where = window_of(addresses[lane]);
      if (where != Where::kGlobal) addresses[lane] &= kWindowBytes - 1;
    }
    located.lane[lane] = locate_lane({warp, at, mode, lane, bytes}, where, addresses[lane]);
    in_space[static_cast<int>(where)] |= 1U << lane;
  }
  if (!warp.is_watched) return;
  for (const Where where : {Where::kGlobal, Where::kShared}) {
    const std::uint32_t lanes = in_space[static_cast<int>(where)];
    if (lanes == 0) continue;
    Mode resolved = mode;
    resolved.where = where;
    warp.block->watch->request(warp, at, {resolved, lanes, bytes, addresses});
  }
}

}  // namespace gk::emulator
