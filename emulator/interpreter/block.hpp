// SPDX-License-Identifier: Apache-2.0
// A thread block under execution, and the launch that it belongs to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/control.hpp"
#include "emulator/interpreter/launch.hpp"
#include "emulator/interpreter/warp.hpp"

namespace gk::emulator {

class BlockWatch;
class GridWatch;

// Generic addresses of the spaces that are no global memory. No user address has these bits.
constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 48;
constexpr std::uint64_t kLocalWindow = std::uint64_t{2} << 48;
constexpr std::uint64_t kParamWindow = std::uint64_t{3} << 48;
constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;

// What all blocks of a launch share.
struct Grid {
  const Kernel* kernel;
  const LaunchConfiguration* configuration;
  Options options;
  GridWatch* watch;  // null where nothing is checked or counted but bounds
};

// One of a block's 16 named barriers.
struct Barrier {
  std::uint32_t arrived = 0;    // threads; whole warps where `expected` is given
  std::uint32_t threads = 0;    // that really came
  std::uint32_t expected = 0;   // threads; 0: all that live
  std::uint32_t counted = 0;    // threads whose predicate was true, of a reduction
  std::int64_t statement = -1;  // of the first arrival, where all must come to the same one
};

struct Block {
  Grid* grid = nullptr;
  std::array<std::uint32_t, 3> index{};
  std::uint32_t linear = 0, threads = 0, live_threads = 0;
  std::vector<Warp> warps;
  std::byte* shared = nullptr;
  std::uint32_t shared_bytes = 0;
  std::array<Barrier, 16> barriers;
  std::unique_ptr<BlockWatch> watch;

  Block();
  ~Block();
  // Takes up block `linear` of the grid, from its first instruction.
  void start(Grid& grid, std::uint32_t linear);
  // Runs until the end (true) or until about `budget` warp instructions are spent. Throws Fault.
  bool run(std::uint64_t budget, std::uint64_t& random_state);
  // Of threads that come to a barrier.
  struct Arrival {
    std::uint32_t arrived, threads, expected, counted;  // as in Barrier
  };
  void arrive(std::uint8_t barrier, const Arrival& arrival);
  // Lets go all that wait at `barrier` if it is complete.
  void settle(std::uint8_t barrier);
  void leave(const Warp& warp, std::uint32_t lanes);
  std::byte* local(std::uint32_t thread) { return local_.data() + thread * local_bytes_; }
  std::uint32_t local_bytes() const { return local_bytes_; }
  std::uint64_t executed_warp_instructions() const;
  // The launch has used up its instruction limit.
  [[noreturn]] void raise_endless() const;

 private:
  void start_warp(Warp& warp, std::uint32_t index);
  [[noreturn]] void report_deadlock() const;
  void release(Warp& warp, std::uint8_t barrier, std::uint32_t counted,
               std::uint32_t threads_of_barrier);

  std::vector<ConstantBytes> registers_;
  std::vector<std::byte> shared_storage_, local_;
  std::uint32_t local_bytes_ = 0;
};

}  // namespace gk::emulator
