// SPDX-License-Identifier: Apache-2.0
// Who touched a byte last: the last weak and the last strong writer, and two readers that are not
// ordered with each other.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/memory/device_memory.hpp"

namespace gk::emulator {

// A thread of the grid at a moment of its block; moment 0 is nobody. Moments grow from launch to
// launch, so stamps of former launches are recognised by their age and never wiped.
struct Stamp {
  std::uint32_t thread = 0;  // block * kThreadsPerBlock + thread
  std::uint32_t moment : 30 = 0;
  std::uint32_t strong : 1 = 0;        // by an atomic or a volatile access
  std::uint32_t within_block : 1 = 0;  // strong for its own block only
};
constexpr std::uint32_t kThreadsPerBlock = 1024;
constexpr std::uint32_t kMostBlocks = UINT32_MAX / kThreadsPerBlock;
constexpr std::uint32_t kMostMoments = std::uint32_t{1} << 30;

struct Stamps {
  Stamp weak_writer, strong_writer, readers[2];
};

// Stamps of every byte of device memory: pages appear as they are touched.
Stamps* global_stamps(std::uint64_t device_address);

// Stamps of a block's shared memory.
using SharedStamps = std::vector<Stamps>;

}  // namespace gk::emulator
