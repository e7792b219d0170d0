// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benches/measure/outcome.hpp"

namespace gk::measure {

// Watches what the system tells of clock and scheduling while a block is timed.
class EvidenceWatch {
 public:
  EvidenceWatch();
  // What happened since construction.
  Evidence so_far() const;

 private:
  int cpu_;  // both readings are of the same one
  Evidence start_;
};

// Why the clock is thought to have moved, or empty.
std::string throttling(const Evidence& evidence);

}  // namespace gk::measure
