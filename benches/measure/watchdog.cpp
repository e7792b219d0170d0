// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/watchdog.hpp"

namespace gk::measure {

namespace {

// How late a bite may come. Arming does not wake the thread, so that no sample pays for a switch.
constexpr std::chrono::milliseconds kGlance{100};

}  // namespace

Watchdog::Watchdog(std::function<void()> bite)
    : bite_(std::move(bite)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::arm(double limit_s) {
  const auto limit =
      std::chrono::duration_cast<Steady::duration>(std::chrono::duration<double>(limit_s));
  const std::lock_guard lock(mutex_);
  deadline_ = Steady::now() + limit;
}

void Watchdog::disarm() {
  const std::lock_guard lock(mutex_);
  deadline_ = Steady::time_point::max();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!done_) {
    if (Steady::now() >= deadline_) {
      deadline_ = Steady::time_point::max();
      bite_();
    }
    changed_.wait_for(lock, kGlance);
  }
}

}  // namespace gk::measure
