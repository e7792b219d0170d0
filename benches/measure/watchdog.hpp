// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace gk::measure {

// Calls `bite` from its own thread when something guarded takes too long. The stuck call cannot
// be interrupted, so `bite` is expected to save what there is and to end the process.
class Watchdog {
 public:
  explicit Watchdog(std::function<void()> bite);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Runs `work`; bites when it takes longer than `limit_s`.
  template <class F>
  decltype(auto) guard(double limit_s, F&& work) {
    const Leash leash{*this, limit_s};
    return std::forward<F>(work)();
  }

 private:
  using Steady = std::chrono::steady_clock;
  struct Leash {
    Watchdog& dog;
    Leash(Watchdog& dog, double limit_s) : dog(dog) { dog.arm(limit_s); }
    ~Leash() { dog.disarm(); }
  };
  void arm(double limit_s);
  void disarm();
  void watch();

  std::function<void()> bite_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Steady::time_point deadline_ = Steady::time_point::max();
  bool done_ = false;
  std::thread thread_;
};

}  // namespace gk::measure
