// SPDX-License-Identifier: Apache-2.0
#include "emulator/runtime/limits.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "emulator/runtime/refusal.hpp"
#include "emulator/text.hpp"

namespace gk::emulator::runtime {
namespace {

using Dimensions = std::array<std::uint32_t, 3>;

constexpr std::uint64_t kSharedGranularity = 128;
// Multiprocessors of each graphics processing cluster; a thread block cluster lies in one. The
// H100's 132 are spread over eight in more than one way; this is a usual one.
constexpr std::array<int, 8> kMultiprocessorsOfGpc{16, 16, 16, 16, 16, 16, 18, 18};

std::uint64_t volume(const Dimensions& size) { return std::uint64_t{size[0]} * size[1] * size[2]; }

template <class Number>
std::string text_of(const std::array<Number, 3>& size) {
  return std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " +
         std::to_string(size[2]);
}

struct Launch {
  const RegisteredKernel& kernel;
  const KernelFacts& facts;
  const LaunchConfiguration& configuration;

  [[noreturn]] void refuse(cudaError_t error, const std::string& why) const {
    throw Refusal(error, "launch of " + kernel.shown + ": " + why);
  }
};

bool fits(const Dimensions& size, const Dimensions& limit) {
  for (int i = 0; i < 3; ++i) {
    if (size[i] == 0 || size[i] > limit[i]) return false;
  }
  return true;
}

void check_block(const Launch& launch) {
  const Dimensions& block = launch.configuration.block;
  const std::string shown = "a block of " + text_of(block) + " threads";
  if (!fits(block, limits::kBlock) || volume(block) > limits::kThreadsPerBlock) {
    launch.refuse(
        cudaErrorInvalidConfiguration,
        shown + "; a block has 1 to 1,024 in all, and at most " + text_of(limits::kBlock));
  }
  const auto& bound = launch.facts.max_threads;
  if (bound[0] == 0) return;
  const auto most = std::uint64_t(bound[0]) * std::max(bound[1], 1) * std::max(bound[2], 1);
  if (launch.facts.threads_required
          ? block != Dimensions{std::uint32_t(bound[0]), std::uint32_t(std::max(bound[1], 1)),
                                std::uint32_t(std::max(bound[2], 1))}
          : volume(block) > most) {
    launch.refuse(cudaErrorInvalidConfiguration,
                  shown + (launch.facts.threads_required ? "; it requires " : "; it allows ") +
                      text_of(bound));
  }
}

void check_grid(const Launch& launch) {
  const Dimensions& grid = launch.configuration.grid;
  if (fits(grid, limits::kGrid)) return;
  launch.refuse(
      cudaErrorInvalidConfiguration,
      "a grid of " + text_of(grid) + " blocks; it has 1 x 1 x 1 to " + text_of(limits::kGrid));
}

void check_shared(const Launch& launch, std::size_t dynamic) {
  const std::int64_t most = most_dynamic_shared_bytes(launch.kernel, launch.facts);
  if (std::cmp_less_equal(dynamic, most)) return;
  const auto& opted_in = launch.kernel.opted_in_dynamic_shared_bytes;
  const std::string bound =
      opted_in
          ? "cudaFuncSetAttribute allows it " + grouped(std::uint64_t(*opted_in)) +
                " of dynamic, and a block has " + grouped(limits::kSharedBytesPerBlockOptIn)
          : "without cudaFuncSetAttribute a block has " + grouped(limits::kSharedBytesPerBlock);
  launch.refuse(cudaErrorInvalidValue, grouped(dynamic) + " bytes of dynamic shared memory and " +
                                           grouped(launch.facts.static_shared_bytes) +
                                           " of static; " + bound);
}

void check_cluster(const Launch& launch) {
  const Dimensions& cluster = launch.configuration.cluster;
  const std::uint64_t blocks = volume(cluster);
  const std::string shown = "a cluster of " + text_of(cluster) + " blocks";
  const std::uint32_t most =
      launch.kernel.non_portable_cluster ? limits::kLargestCluster : limits::kPortableCluster;
  if (blocks == 0 || blocks > most) {
    launch.refuse(cudaErrorInvalidClusterSize,
                  shown + "; 1 to 8, or 16 with cudaFuncAttributeNonPortableClusterSizeAllowed");
  }
  for (int i = 0; i < 3; ++i) {
    if (launch.configuration.grid[i] % cluster[i] == 0) continue;
    launch.refuse(cudaErrorInvalidClusterSize,
                  shown + " does not divide a grid of " + text_of(launch.configuration.grid));
  }
  if (blocks > 1) {
    launch.refuse(cudaErrorNotSupported, shown + "; clusters are not emulated yet");
  }
}

void check_cooperative(const Launch& launch) {
  if (!launch.configuration.cooperative) return;
  const int each = resident_blocks(launch.facts, volume(launch.configuration.block),
                                   launch.configuration.dynamic_shared_bytes);
  const auto most = static_cast<std::uint64_t>(each) * limits::kMultiprocessors;
  const std::uint64_t blocks = volume(launch.configuration.grid);
  if (blocks <= most) return;
  launch.refuse(cudaErrorCooperativeLaunchTooLarge, grouped(blocks) +
                                                        " blocks of a cooperative grid; at most " +
                                                        grouped(most) + " are resident at once");
}

}  // namespace

void check_launch(const RegisteredKernel& kernel, const KernelFacts& facts,
                  const LaunchConfiguration& configuration, std::size_t dynamic_shared_bytes) {
  const Launch launch{kernel, facts, configuration};
  check_block(launch);
  check_grid(launch);
  check_shared(launch, dynamic_shared_bytes);
  check_cluster(launch);
  check_cooperative(launch);
}

std::int64_t most_dynamic_shared_bytes(const RegisteredKernel& kernel, const KernelFacts& facts) {
  const std::int64_t fixed = facts.static_shared_bytes;
  if (!kernel.opted_in_dynamic_shared_bytes) return limits::kSharedBytesPerBlock - fixed;
  // Set for one Options::arch; another one's static variables may take more.
  return std::min<std::int64_t>(*kernel.opted_in_dynamic_shared_bytes,
                                limits::kSharedBytesPerBlockOptIn - fixed);
}

int resident_blocks(const KernelFacts& facts, std::uint64_t threads,
                    std::uint64_t dynamic_shared_bytes) {
  if (threads == 0 || threads > limits::kThreadsPerBlock) return 0;
  const std::uint64_t used = facts.static_shared_bytes + dynamic_shared_bytes;
  if (used > limits::kSharedBytesPerBlockOptIn) return 0;
  const std::uint64_t whole_warps = (threads + limits::kWarp - 1) / limits::kWarp * limits::kWarp;
  const std::uint64_t shared = (used + limits::kReservedSharedBytes + kSharedGranularity - 1) /
                               kSharedGranularity * kSharedGranularity;
  return static_cast<int>(std::min({std::uint64_t{limits::kBlocksPerMultiprocessor},
                                    limits::kThreadsPerMultiprocessor / whole_warps,
                                    limits::kSharedBytesPerMultiprocessor / shared}));
}

int resident_clusters(int blocks_per_multiprocessor, std::uint32_t cluster_blocks) {
  int clusters = 0;
  for (const int multiprocessors : kMultiprocessorsOfGpc) {
    clusters += multiprocessors * blocks_per_multiprocessor / static_cast<int>(cluster_blocks);
  }
  return clusters;
}

}  // namespace gk::emulator::runtime
