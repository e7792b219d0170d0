// SPDX-License-Identifier: Apache-2.0
// A run: blocks measured when their first member is asked for, rows written as they are made.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "benches/console.hpp"
#include "benches/measure/block.hpp"
#include "benches/measure/cpu_clock.hpp"
#include "benches/results.hpp"
#include "benches/selection.hpp"

namespace gk::benches {

// Where rows go as they are made: the result file, the standard output, or both.
struct RowSinks {
  std::function<void(const nlohmann::ordered_json& context)> begin;
  std::function<void(const nlohmann::ordered_json& row)> add;
  std::function<void(bool complete)> finish;
};

// One benchmark as Google Benchmark sees it: a member of a block.
struct Entry {
  std::size_t block, member;
};

class Session {
 public:
  Session(const Arguments& arguments, std::vector<Block> blocks, RowSinks sinks, Console& console);

  const std::vector<Entry>& entries() const { return entries_; }
  std::string name(const Entry& entry) const;

  // Measures all roofs that the blocks need and writes the context.
  void begin(const std::vector<std::string>& command_line);
  // The entry's outcome of its next repetition; measures the entry's block when it is the first to
  // ask. The n-th call is repetition n.
  const measure::Outcome& next(std::size_t entry);
  Row row(std::size_t entry, int repetition) const;
  // Ends the document; returns the exit code.
  int finish();

  const measure::Phases& phases() const { return phases_; }

 private:
  struct BlockRun {
    Block block;
    std::vector<std::vector<measure::Outcome>> repetitions;
    std::vector<std::size_t> asked;  // per member
  };
  void measure(BlockRun& run);
  void note_exit_code(const measure::Outcome& outcome);
  std::pair<double, double> empty_launch_ns();
  void hung();

  const Arguments& arguments_;
  RowSinks sinks_;
  Console& console_;
  std::vector<BlockRun> runs_;
  std::vector<Entry> entries_;
  measure::Phases phases_;
  HostMemory memory_;
  measure::CpuClock clock_;
  measure::Watchdog watchdog_;
  measure::Engine engine_;
  std::unique_ptr<measure::Ceilings> ceilings_;
  std::atomic<const Case*> running_ = nullptr;
  std::atomic<Cache> running_cache_ = Cache::kCold;
  std::atomic<int> running_repetition_ = -1;  // -1: the roofs are being measured
  std::atomic<bool> begun_ = false;           // the document has its context
  std::size_t blocks_done_ = 0;
  double blocks_start_s_ = 0;
  bool any_measured_ = false, any_wrong_ = false, any_suspect_ = false, any_failed_ = false;
};

}  // namespace gk::benches
