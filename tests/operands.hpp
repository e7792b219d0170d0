// SPDX-License-Identifier: Apache-2.0
// The device whose cases correctness_test.cpp verifies. Which one is decided at link time:
// cpu_operands.cpp or cuda/cuda_operands.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gk/registry.hpp"

namespace gk {

// One operand set of a case on the device, and the same where the host can read it.
class TestOperands {
 public:
  virtual ~TestOperands() = default;
  virtual Arena& device() = 0;
  virtual Arena& host() = 0;
  // Runs the launch to its end; then host() holds what device() does.
  virtual void run(const Launch& launch) = 0;
};

DeviceKind tested_device();
// What ceilings are sized for, in turn; an empty list is this machine's CPU.
std::vector<std::vector<CacheLevel>> tested_levels();
std::unique_ptr<TestOperands> make_operands(const Case& one, std::uint64_t seed);

}  // namespace gk
