// SPDX-License-Identifier: Apache-2.0
// What measuring one member of a block came to. Times are of one call, in seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gk::measure {

enum class Status : std::uint8_t { kMeasured, kSkipped, kWrong, kError, kHung };

constexpr std::string_view name_of(Status status) {
  constexpr std::string_view kNames[] = {"measured", "skipped", "wrong", "error", "hung"};
  return kNames[static_cast<int>(status)];
}

// The roof over a point, and how near to it the point came.
struct Roof {
  std::optional<double> bytes_per_s, flop_per_s;  // measured ceilings
  std::string level;                              // "dram", ...; empty between two levels
  bool memory_bound = true;                       // which roof is lower at this intensity
  std::optional<double> percent;                  // achieved over attainable
  std::string percent_reason;                     // why there is no percent
};

struct Evidence {
  std::optional<double> frequency_first_mhz, frequency_last_mhz;
  std::int64_t involuntary_switches = 0;
};

struct Outcome {
  Status status = Status::kMeasured;
  std::string message;  // why there is no time

  std::string plan;
  int plans_tried = 0;
  double first_plan_s = 0;

  std::vector<double> samples_s;
  double median_s = 0, cpu_s = 0;
  std::int64_t calls = 0;  // timed calls in all samples
  int calls_per_sample = 1, samples_dropped = 0;
  double relative_precision = 0;
  std::string_view stop_reason;

  double max_error = 0, tolerance_used = 0;

  std::string best_vendor;
  std::optional<double> speedup, speedup_p10, speedup_p90;

  Roof roof;
  std::string suspect, throttled;

  std::int64_t sets = 1, set_bytes = 0;
  std::optional<double> cold_factor;
  Evidence evidence;

  bool measured() const { return status == Status::kMeasured; }
};

}  // namespace gk::measure
