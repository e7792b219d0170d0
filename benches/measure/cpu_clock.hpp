// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benches/measure/clock.hpp"

namespace gk::measure {

// steady_clock around the calls; getrusage tells whether the thread was switched out.
class CpuClock final : public Clock {
 public:
  CpuClock();
  Sample time(std::span<const Launch> calls) override;
  double resolution_s() const override { return resolution_s_; }
  double now_s() const override;

 private:
  double resolution_s_;
};

}  // namespace gk::measure
