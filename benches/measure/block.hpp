// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "benches/measure/ceilings.hpp"
#include "benches/measure/outcome.hpp"

namespace gk::measure {

// Measures all members of one block (the selected cases of one problem in one cache state) against
// each other and the roof above them. Order: plans -> bind -> verify -> warm up -> time -> verify.
// A member that fails gets its status and no time; the others go on. One outcome per member.
std::vector<Outcome> measure_block(std::span<const Case> block, Cache cache, Engine& engine,
                                   Ceilings& ceilings);

// Prepares and verifies every member, then runs each once and no more: for a profiler.
std::vector<Outcome> profile_block(std::span<const Case> block, Cache cache, Engine& engine);

}  // namespace gk::measure
