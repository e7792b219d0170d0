// SPDX-License-Identifier: Apache-2.0
#include "benches/session.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>

#include "benches/context.hpp"
#include "benches/exit_code.hpp"
#include "benches/measure/stats.hpp"
#include "gk/text.hpp"

namespace gk::benches {
namespace {

using measure::Outcome;
using measure::Status;

// Every ceiling case of the device, whatever the command line selects.
std::vector<Case> ceiling_cases(const Arguments& arguments) {
  Sweep all;
  all.preset = Preset::kFull;
  std::vector<Case> kept = cases(all, arguments.device);
  std::erase_if(kept, [](const Case& one) { return !one.is_ceiling(); });
  return kept;
}

}  // namespace

Session::Session(const Arguments& arguments, std::vector<Block> blocks, RowSinks sinks,
                 Console& console)
    : arguments_(arguments),
      sinks_(std::move(sinks)),
      console_(console),
      memory_(usable_host_bytes()),
      watchdog_([this] { hung(); }),
      engine_{.memory = memory_,
              .clock = clock_,
              .machine = machine(),
              .settings = {.budget_s = arguments.budget_s,
                           .seed = arguments.seed,
                           .threads = arguments.threads},
              .phases = phases_,
              .watchdog = watchdog_,
              .running = [this](const Case& one) { running_ = &one; }} {
  omp_set_num_threads(arguments.threads);
  for (Block& block : blocks) {
    const std::size_t members = block.cases.size();
    for (std::size_t i = 0; i < members; ++i) entries_.push_back({runs_.size(), i});
    runs_.push_back({std::move(block), {}, std::vector<std::size_t>(members)});
  }
  ceilings_ = std::make_unique<measure::Ceilings>(ceiling_cases(arguments), engine_);
}

std::string Session::name(const Entry& entry) const {
  const Block& block = runs_[entry.block].block;
  return block.cases[entry.member].name(block.cache);
}

// What one empty call costs, over as many cold closures as the smallest problems rotate, and over
// one warm closure: the two must not differ by more than noise.
std::pair<double, double> Session::empty_launch_ns() {
  constexpr std::size_t kClosures = 100'000;
  // Like a kernel's closure: too large to be kept inline, so each lies somewhere on the heap.
  const auto empty = [captured = std::array<char, 48>{}](Stream) {
    asm volatile("" : : "m"(captured));  // reads it, and does nothing
  };
  std::vector<Launch> all;
  for (std::size_t i = 0; i < kClosures; ++i) all.emplace_back(empty);
  const auto median_ns = [&](auto first) {
    std::vector<double> ns;
    std::vector<Launch> batch;
    for (std::size_t i = 0; i < 100; ++i) {
      batch.assign(all.begin() + first(i), all.begin() + first(i) + 1000);
      ns.push_back(engine_.run(batch).seconds * 1e9 / 1000);
    }
    return measure::median(ns);
  };
  return {median_ns([](std::size_t i) { return static_cast<long>(i * 997 % 99'000); }),
          median_ns([](std::size_t) { return 0L; })};
}

void Session::begin(const std::vector<std::string>& command_line) {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    console_.progress("measuring the roofs of this machine");
    ceilings_->calibrate_for(runs_[i].block.cases.front());
  }
  const auto [cold_ns, warm_ns] = empty_launch_ns();
  const auto ceilings = ceilings_->calibrated();
  console_.ceilings(ceilings);
  sinks_.begin(context_json({.arguments = arguments_,
                             .command_line = command_line,
                             .timer_resolution_s = clock_.resolution_s(),
                             .ceilings = ceilings,
                             .floor_cold_ns = cold_ns,
                             .floor_warm_ns = warm_ns}));
  begun_ = true;
  blocks_start_s_ = clock_.now_s();
}

const Outcome& Session::next(std::size_t entry) {
  const Entry& place = entries_[entry];
  BlockRun& run = runs_[place.block];
  const std::size_t repetition = run.asked[place.member]++;
  if (repetition == run.repetitions.size()) measure(run);
  return run.repetitions[repetition][place.member];
}

void Session::measure(BlockRun& run) {
  const std::size_t total = runs_.size() * static_cast<std::size_t>(arguments_.repetitions);
  std::string text = "[" + std::to_string(blocks_done_ + 1) + "/" + std::to_string(total) + "] ";
  if (blocks_done_ > 0) {
    const double per_block = (clock_.now_s() - blocks_start_s_) / static_cast<double>(blocks_done_);
    text +=
        "about " + duration_text(per_block * static_cast<double>(total - blocks_done_)) + " left: ";
  }
  console_.progress(text + run.block.cases.front().problem());
  running_cache_ = run.block.cache;
  running_repetition_ = static_cast<int>(run.repetitions.size());
  if (arguments_.profile) {
    run.repetitions.push_back(measure::profile_block(run.block.cases, run.block.cache, engine_));
  } else {
    run.repetitions.push_back(
        measure::measure_block(run.block.cases, run.block.cache, engine_, *ceilings_));
  }
  ++blocks_done_;
  const int repetition = static_cast<int>(run.repetitions.size()) - 1;
  for (std::size_t i = 0; i < run.block.cases.size(); ++i) {
    const Outcome& outcome = run.repetitions.back()[i];
    note_exit_code(outcome);
    sinks_.add(row_json(
        {run.block.cases[i], run.block.cache, outcome, repetition, arguments_.repetitions}));
  }
}

void Session::note_exit_code(const Outcome& outcome) {
  any_measured_ |= outcome.measured();
  any_wrong_ |= outcome.status == Status::kWrong;
  any_failed_ |= outcome.status == Status::kError || outcome.status == Status::kHung;
  any_suspect_ |= !outcome.suspect.empty();
}

Row Session::row(std::size_t entry, int repetition) const {
  const Entry& place = entries_[entry];
  const BlockRun& run = runs_[place.block];
  return {run.block.cases[place.member], run.block.cache,
          run.repetitions[static_cast<std::size_t>(repetition)][place.member], repetition,
          arguments_.repetitions};
}

int Session::finish() {
  sinks_.finish(true);
  if (any_wrong_ || (arguments_.strict && any_suspect_)) return kExitRegression;
  return any_failed_ || !any_measured_ ? kExitNothingMeasured : kExitOk;
}

// Runs on the watchdog's thread while the stuck call still holds the main one: saves what there
// is, says who hung, and ends the process without unwinding.
void Session::hung() {
  const Case* problem = running_;
  Outcome outcome;
  outcome.status = Status::kHung;
  outcome.message = "a call took more than 20 times its budget of " +
                    fixed(arguments_.budget_s, 1) + " s; the run was ended";
  const bool known = problem != nullptr && running_repetition_ >= 0;
  if (known) {
    const Row row{*problem, running_cache_, outcome, running_repetition_, arguments_.repetitions};
    if (begun_) sinks_.add(row_json(row));
    console_.row(row);
  } else {
    std::cerr << "gk_bench: a roof hung: " << outcome.message << "\n";
  }
  if (begun_) sinks_.finish(false);  // before that, there is no document to close
  console_.summary(phases_);
  std::cout.flush();
  _exit(kExitNothingMeasured);
}

}  // namespace gk::benches
