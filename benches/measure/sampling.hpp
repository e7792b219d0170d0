// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "benches/measure/member.hpp"

namespace gk::measure {

// Samples all contenders round-robin (A B C, B C A, C A B, ...), so that drift of the machine hits
// all alike, until every living one is precise, the budget is spent, or the rows are full. A
// contender that throws drops out. Returns the reason for stopping: "precision", "budget" or
// "samples".
std::string_view sample_rounds(std::span<Member* const> contenders, Engine& engine,
                               double budget_s);

}  // namespace gk::measure
