// SPDX-License-Identifier: Apache-2.0
// What a program asks and sets per kernel: attributes and occupancy.
#include <algorithm>
#include <utility>

#include "emulator/runtime/call.hpp"
#include "emulator/runtime/limits.hpp"
#include "emulator/runtime/registration.hpp"
#include "emulator/text.hpp"

using namespace gk::emulator::runtime;  // NOLINT(google-build-using-namespace): C entry points

namespace {

using gk::emulator::KernelFacts;

void set_dynamic_shared_bytes(RegisteredKernel& kernel, int bytes) {
  const auto fixed = static_cast<int>(facts_of(kernel).static_shared_bytes);
  const int most = limits::kSharedBytesPerBlockOptIn - fixed;
  if (bytes < 0 || bytes > most) {
    throw Refusal(cudaErrorInvalidValue, std::to_string(bytes) +
                                             " bytes of dynamic shared memory for " + kernel.shown +
                                             "; at most " + std::to_string(most));
  }
  kernel.opted_in_dynamic_shared_bytes = bytes;
}

void set_attribute(RegisteredKernel& kernel, cudaFuncAttribute attribute, int value) {
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      return set_dynamic_shared_bytes(kernel, value);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      kernel.non_portable_cluster = value != 0;
      return;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) throw Refusal(cudaErrorInvalidValue, "a carveout in percent");
      return;  // a hint
    default:
      throw Refusal(cudaErrorNotSupported,
                    "function attribute " + std::to_string(attribute) + " is not emulated");
  }
}

int most_threads(const KernelFacts& facts) {
  const auto& bound = facts.max_threads;
  if (bound[0] == 0) return limits::kThreadsPerBlock;
  return bound[0] * std::max(bound[1], 1) * std::max(bound[2], 1);
}

cudaFuncAttributes attributes_of(RegisteredKernel& kernel) {
  const KernelFacts& facts = facts_of(kernel);
  cudaFuncAttributes attributes{};
  attributes.sharedSizeBytes = facts.static_shared_bytes;
  attributes.constSizeBytes = facts.const_bytes;
  attributes.localSizeBytes = facts.local_bytes;
  attributes.maxThreadsPerBlock = most_threads(facts);
  // numRegs stays 0: it is ptxas that decides it.
  attributes.ptxVersion = attributes.binaryVersion = 90;
  attributes.maxDynamicSharedSizeBytes =
      static_cast<int>(std::max<std::int64_t>(0, most_dynamic_shared_bytes(kernel, facts)));
  attributes.preferredShmemCarveout = -1;
  attributes.clusterDimMustBeSet = facts.required_cluster[0] > 0 ? 1 : 0;
  attributes.requiredClusterWidth = facts.required_cluster[0];
  attributes.requiredClusterHeight = facts.required_cluster[1];
  attributes.requiredClusterDepth = facts.required_cluster[2];
  attributes.nonPortableClusterSizeAllowed = kernel.non_portable_cluster ? 1 : 0;
  return attributes;
}

int blocks_per_multiprocessor(RegisteredKernel& kernel, std::uint64_t threads,
                              std::size_t dynamic_shared_bytes) {
  const KernelFacts& facts = facts_of(kernel);
  const std::int64_t most = most_dynamic_shared_bytes(kernel, facts);
  if (std::cmp_greater(dynamic_shared_bytes, most)) return 0;
  if (threads > static_cast<std::uint64_t>(most_threads(facts))) return 0;
  return resident_blocks(facts, threads, dynamic_shared_bytes);
}

int clusters(RegisteredKernel& kernel, const cudaLaunchConfig_t& config) {
  std::uint32_t blocks = 1;
  for (const int size : facts_of(kernel).required_cluster) blocks *= std::max(size, 1);
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
    const auto& size = config.attrs[i].val.clusterDim;
    blocks = size.x * size.y * size.z;
  }
  const std::uint32_t most =
      kernel.non_portable_cluster ? limits::kLargestCluster : limits::kPortableCluster;
  if (blocks == 0 || blocks > most) {
    throw Refusal(cudaErrorInvalidClusterSize,
                  "a cluster of " + std::to_string(blocks) + " blocks for " + kernel.shown);
  }
  const std::uint64_t threads =
      std::uint64_t{config.blockDim.x} * config.blockDim.y * config.blockDim.z;
  return resident_clusters(blocks_per_multiprocessor(kernel, threads, config.dynamicSmemBytes),
                           blocks);
}

}  // namespace

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return call([&] { set_attribute(kernel_of(function), attribute, value); });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return call([&] {
    if (attributes == nullptr) throw Refusal(cudaErrorInvalidValue);
    *attributes = attributes_of(kernel_of(function));
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int threads,
                                                                   std::size_t dynamic_shared_bytes,
                                                                   unsigned /*flags*/) {
  return call([&] {
    if (blocks == nullptr || threads <= 0) throw Refusal(cudaErrorInvalidValue);
    *blocks = blocks_per_multiprocessor(kernel_of(function), static_cast<std::uint64_t>(threads),
                                        dynamic_shared_bytes);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads,
                                                          std::size_t dynamic_shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, threads, dynamic_shared_bytes, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyMaxActiveClusters(int* count, const void* function,
                                           const cudaLaunchConfig_t* config) {
  return call([&] {
    if (count == nullptr || config == nullptr) throw Refusal(cudaErrorInvalidValue);
    *count = clusters(kernel_of(function), *config);
  });
}
