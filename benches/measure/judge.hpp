// SPDX-License-Identifier: Apache-2.0
// What a block's samples say about its members: roofs, speed-ups, and what is not to be believed.
#pragma once

#include <span>

#include "benches/measure/ceilings.hpp"
#include "benches/measure/member.hpp"

namespace gk::measure {

// Per round, time of `other` over time of `member`; rounds where either was disturbed are left out.
std::vector<double> paired_ratios(const Member& other, const Member& member);

// Fills best_vendor and the speed-ups of all measured members.
void compare_with_vendors(std::span<Member> members);

// Fills the member's roof, and marks it suspect where it is surely above.
void judge_by_roofs(Member& member, Ceilings& ceilings);

// A ceiling has no roof above it, only limits of what can be true.
void judge_ceiling(Member& member, int threads);

}  // namespace gk::measure
