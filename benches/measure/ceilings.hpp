// SPDX-License-Identifier: Apache-2.0
// The measured roofs: what the same machine, in the same process, can move and compute.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benches/measure/member.hpp"

namespace gk::measure {

// One calibrated roof, for the result file's context.
struct Ceiling {
  const Case* problem;         // the ceiling case: its op, dtype and unit say what it bounds
  std::int64_t reads, writes;  // of a stream; 0:0 for a peak
  std::string level;           // of a stream; empty for a peak
  double per_s;                // bytes or FLOP per second
  std::string detail;          // the winning plan
  std::int64_t bytes;          // working set, all sets of the rotation together
  std::string suspect;         // why it is not to be believed; empty when it is

  bool is_stream() const { return !level.empty(); }
};

// A ceiling case with everything it needs to be sampled among the members of a block.
struct PreparedCeiling {
  PreparedCeiling(const Case& problem, Engine& engine);
  OperandSets sets;
  SlotTruth truth;
  Member member;
};

class Ceilings {
 public:
  // `cases`: all ceiling cases of the device. Must be made before any other memory is allocated.
  Ceilings(std::vector<Case> cases, Engine& engine);

  // Measures the roofs over `problem`, all cache levels, where they are not known yet.
  void calibrate_for(const Case& problem);

  // Makes the roofs over `problem` ready, measuring the ones that were not yet. Call with none of
  // a block's memory allocated: what it prepares stays below the block's.
  void prepare_for(const Case& problem, Cache cache, std::int64_t set_bytes);

  // Gives back all memory, and says why: the next block is a ceiling itself, or does not fit
  // beside one.
  void stand_aside(const std::string& why);

  // Why there is no stream, or empty.
  const std::string& why_none() const { return why_none_; }
  // The level that the block of the last prepare_for() is judged by; empty between two levels.
  const std::string& level() const { return level_; }
  // What to interleave: the stream, or null where this build has none or the working set lies
  // between two levels; the peak only where compute is the lower roof.
  Member* stream() { return stream_ ? &stream_->member : nullptr; }
  Member* peak() { return peak_ ? &peak_->member : nullptr; }
  const Ceiling* peak_value() const { return peak_value_; }

  // All roofs measured so far, in the order of their names.
  std::vector<Ceiling> calibrated() const;

 private:
  const Case* nearest_stream(const Work& work, const std::string& level) const;
  const Ceiling* highest_peak(const Case& problem);
  Ceiling* calibrate(const Case& problem);
  std::optional<Ceiling> measure(Member& member);
  void prepare(const Case* stream, const Case* peak);
  void forget_prepared();

  std::vector<Case> cases_;
  Engine* engine_;
  std::int64_t base_mark_;
  std::map<std::string, std::optional<Ceiling>> calibrated_;  // by problem; null: not here
  std::string level_, why_none_;
  std::unique_ptr<PreparedCeiling> stream_, peak_;
  const Ceiling* peak_value_ = nullptr;
};

}  // namespace gk::measure
