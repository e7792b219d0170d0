// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/evidence.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <cmath>
#include <fstream>

#include "gk/text.hpp"

namespace gk::measure {
namespace {

constexpr double kDriftPercent = 3;

// Virtual machines often do not tell.
std::optional<double> frequency_mhz(int cpu) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                     "/cpufreq/scaling_cur_freq");
  double khz = 0;
  if (!(file >> khz)) return std::nullopt;
  return khz / 1000;
}

std::int64_t involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

EvidenceWatch::EvidenceWatch()
    : cpu_(sched_getcpu()),
      start_{.frequency_first_mhz = frequency_mhz(cpu_),
             .frequency_last_mhz = {},
             .involuntary_switches = involuntary_switches()} {}

Evidence EvidenceWatch::so_far() const {
  return {.frequency_first_mhz = start_.frequency_first_mhz,
          .frequency_last_mhz = frequency_mhz(cpu_),
          .involuntary_switches = involuntary_switches() - start_.involuntary_switches};
}

std::string throttling(const Evidence& evidence) {
  if (!evidence.frequency_first_mhz || !evidence.frequency_last_mhz) return "";
  const double drift = 100 * (*evidence.frequency_last_mhz / *evidence.frequency_first_mhz - 1);
  if (std::abs(drift) <= kDriftPercent) return "";
  return "the clock moved by " + fixed(drift, 1) + " % while the block was timed";
}

}  // namespace gk::measure
