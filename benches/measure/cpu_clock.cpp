// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/cpu_clock.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace gk::measure {
namespace {

using Steady = std::chrono::steady_clock;

double seconds(Steady::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

double process_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

long involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);  // all threads: a preempted worker delays the others
  return usage.ru_nivcsw;
}

// The smallest step that two readings can differ by, over many tries.
double smallest_step() {
  double least = 1;
  for (int i = 0; i < 1000; ++i) {
    const auto start = Steady::now();
    auto now = Steady::now();
    while (now == start) now = Steady::now();
    least = std::min(least, seconds(now - start));
  }
  return least;
}

}  // namespace

CpuClock::CpuClock() : resolution_s_(smallest_step()) {}

Sample CpuClock::time(std::span<const Launch> calls) {
  const long switches = involuntary_switches();
  const double cpu = process_cpu_s();
  const auto start = Steady::now();
  for (const Launch& call : calls) call(nullptr);
  const auto end = Steady::now();
  return {.seconds = seconds(end - start),
          .cpu_seconds = process_cpu_s() - cpu,
          .disturbed = involuntary_switches() != switches};
}

double CpuClock::now_s() const { return seconds(Steady::now().time_since_epoch()); }

}  // namespace gk::measure
