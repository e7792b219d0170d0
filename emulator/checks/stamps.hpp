// SPDX-License-Identifier: Apache-2.0
// Who touched a byte last: the last writer and two readers that are not ordered with each other.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/memory/device_memory.hpp"

namespace gk::emulator {

// A thread of the grid at a moment of its block; moment 0 is nobody. Moments grow from launch to
// launch, so stamps of former launches are recognised by their age and never wiped.
struct Stamp {
  std::uint32_t thread = 0;  // block * kThreadsPerBlock + thread
  std::uint32_t moment : 31 = 0;
  std::uint32_t strong : 1 = 0;  // by an atomic or a volatile access
};
constexpr std::uint32_t kThreadsPerBlock = 1024;

struct Stamps {
  Stamp writer, readers[2];
};

// Stamps of every byte of device memory: pages appear as they are touched.
Stamps* global_stamps(std::uint64_t device_address);

// Stamps of a block's shared memory.
using SharedStamps = std::vector<Stamps>;

}  // namespace gk::emulator
