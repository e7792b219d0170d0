// SPDX-License-Identifier: Apache-2.0
// Runs the blocks of a launch, one after the other or several at once.
#include "emulator/interpreter/launch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

#include "emulator/checks/watch.hpp"
#include "emulator/counters.hpp"
#include "emulator/interpreter/block.hpp"

namespace gk::emulator {
namespace {

// A block that is not done after this many warp instructions may be waiting for another one: the
// next is taken up beside it.
constexpr std::uint64_t kPatience = 1 << 20;
constexpr std::uint64_t kShortPatience = 512;  // where all blocks are resident, and surely wait

// The order in which blocks are taken up: a permutation of their numbers.
class Sequence {
 public:
  Sequence(const Options& options, std::uint32_t blocks) : order_(options.order), blocks_(blocks) {
    // A multiplier without common factors visits every number once.
    multiplier_ = static_cast<std::uint32_t>(options.seed * 0x9e3779b9U) | 1U;
    while (order_ == Order::kRandom && std::gcd(multiplier_, blocks_) != 1) multiplier_ += 2;
  }
  std::optional<std::uint32_t> next() {
    const std::uint64_t taken = taken_.fetch_add(1);
    if (taken >= blocks_) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(taken);
    if (order_ == Order::kForward) return number;
    if (order_ == Order::kReverse) return blocks_ - 1 - number;
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(number) * multiplier_ + 1) %
                                      blocks_);
  }
  void stop() { taken_ = blocks_; }

 private:
  Order order_;
  std::uint32_t blocks_, multiplier_;
  std::atomic<std::uint64_t> taken_{0};
};

// One host thread's blocks.
class Worker {
 public:
  Worker(Grid& grid, Sequence& sequence)
      : grid_(&grid), sequence_(&sequence), random_(grid.options.seed) {}

  void run() {
    if (grid_->configuration->cooperative) {
      while (take_up()) {
      }
    }
    while (!running_.empty() || take_up()) {
      run_first();
    }
  }
  std::uint64_t thread_instructions = 0, warp_instructions = 0;

 private:
  bool take_up() {
    if (running_.size() >= grid_->configuration->resident_blocks) return false;
    const std::optional<std::uint32_t> number = sequence_->next();
    if (!number) return false;
    if (spare_.empty()) spare_.push_back(std::make_unique<Block>());
    running_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    running_.back()->start(*grid_, *number);
    return true;
  }

  void run_first() {
    std::unique_ptr<Block> block = std::move(running_.front());
    running_.pop_front();
    const bool together = grid_->configuration->cooperative;
    const std::uint64_t patience = together ? kShortPatience : kPatience;
    if (block->run(std::min(patience, 1 + grid_->options.instruction_limit / 8), random_)) {
      finish(std::move(block));
      return;
    }
    running_.push_back(std::move(block));
    if (instructions_of_all() > grid_->options.instruction_limit) running_.back()->raise_endless();
    take_up();
  }

  std::uint64_t instructions_of_all() const {
    return std::accumulate(running_.begin(), running_.end(), warp_instructions,
                           [](std::uint64_t sum, const std::unique_ptr<Block>& block) {
                             return sum + block->executed_warp_instructions();
                           });
  }

  void finish(std::unique_ptr<Block> block) {
    for (const Warp& warp : block->warps) {
      thread_instructions += warp.thread_instructions;
      warp_instructions += warp.warp_instructions;
    }
    spare_.push_back(std::move(block));
  }

  Grid* grid_;
  Sequence* sequence_;
  std::uint64_t random_;
  std::deque<std::unique_ptr<Block>> running_;
  std::vector<std::unique_ptr<Block>> spare_;
};

void run_blocks(Grid& grid, std::uint32_t blocks, int host_threads) {
  const auto start = std::chrono::steady_clock::now();
  Sequence sequence(grid.options, blocks);
  std::deque<Worker> workers;  // they do not move
  for (int i = 0; i < host_threads; ++i) workers.emplace_back(grid, sequence);
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&](Worker& worker) {
    try {
      worker.run();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      sequence.stop();
    }
  };
  {
    std::vector<std::jthread> threads;  // joined at the end of this scope, whatever happens in it
    for (std::size_t i = 1; i < workers.size(); ++i) {
      threads.emplace_back([&work, &worker = workers[i]] { work(worker); });
    }
    work(workers.front());
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::uint64_t thread_instructions = 0, warp_instructions = 0;
  for (const Worker& worker : workers) {
    thread_instructions += worker.thread_instructions;
    warp_instructions += worker.warp_instructions;
  }
  count(thread_instructions, warp_instructions, elapsed.count());
  if (failure) std::rethrow_exception(failure);
}

std::uint32_t blocks_of(const Kernel& kernel, const LaunchConfiguration& launch) {
  const std::uint64_t plane = std::uint64_t{launch.grid[0]} * launch.grid[1];
  if (plane > UINT32_MAX / launch.grid[2]) {
    throw Fault(FaultKind::kUnsupported, "the emulator runs grids of up to 2^32 blocks",
                {.kernel = kernel.name, .opcode = {}, .source = {}});
  }
  return static_cast<std::uint32_t>(plane * launch.grid[2]);
}

}  // namespace

void run(const Kernel& kernel, const LaunchConfiguration& launch) {
  Grid grid{&kernel, &launch, options(), nullptr};
  const std::uint32_t blocks = blocks_of(kernel, launch);
  const bool is_watched = grid.options.races || grid.options.uninitialised || grid.options.audit;
  std::optional<GridWatch> watch;
  if (is_watched) grid.watch = &watch.emplace(grid, blocks);
  if (!grid.options.uninitialised) DeviceMemory::instance().mark_all_written();
  // What is watched has one history; the blocks of a cooperative grid wait for each other.
  const bool one_by_one = is_watched || launch.cooperative;
  run_blocks(grid, blocks, one_by_one ? 1 : std::max(1, grid.options.host_threads));
}

}  // namespace gk::emulator
