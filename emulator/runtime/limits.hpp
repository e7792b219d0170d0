// SPDX-License-Identifier: Apache-2.0
// What an H100 can hold and refuses: CUDA C++ Programming Guide, compute capability 9.0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/interpreter/launch.hpp"
#include "emulator/runtime/registration.hpp"

namespace gk::emulator::runtime {

namespace limits {
constexpr int kMultiprocessors = 132;
constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 1024;
constexpr std::array<std::uint32_t, 3> kBlock{1024, 1024, 64};
constexpr std::array<std::uint32_t, 3> kGrid{2147483647, 65535, 65535};
constexpr int kThreadsPerMultiprocessor = 2048;
constexpr int kBlocksPerMultiprocessor = 32;
constexpr int kRegisters = 65536;                     // per block and per multiprocessor
constexpr int kSharedBytesPerBlock = 48 << 10;        // static and dynamic
constexpr int kSharedBytesPerBlockOptIn = 227 << 10;  // after cudaFuncSetAttribute
constexpr int kSharedBytesPerMultiprocessor = 228 << 10;
constexpr int kReservedSharedBytes = 1 << 10;  // per block, the system's own
constexpr int kConstantBytes = 64 << 10;
constexpr std::uint32_t kPortableCluster = 8;
constexpr std::uint32_t kLargestCluster = 16;
}  // namespace limits

// Throws Refusal with a sentence that names the kernel and the limit.
void check_launch(const RegisteredKernel& kernel, const KernelFacts& facts,
                  const LaunchConfiguration& launch, std::size_t dynamic_shared_bytes);

// How much dynamic shared memory a launch may ask for: what cudaFuncSetAttribute said, else what
// the static variables leave of 48 KiB. Below 0 where they do not fit either.
std::int64_t most_dynamic_shared_bytes(const RegisteredKernel& kernel, const KernelFacts& facts);

// How many blocks one multiprocessor holds at once; 0: not even one. An upper bound: how many
// registers a thread takes is decided by ptxas and not to be seen in PTX.
int resident_blocks(const KernelFacts& facts, std::uint64_t threads,
                    std::uint64_t dynamic_shared_bytes);

// How many clusters of that many blocks the whole device holds at once.
int resident_clusters(int blocks_per_multiprocessor, std::uint32_t cluster_blocks);

}  // namespace gk::emulator::runtime
