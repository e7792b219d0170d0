// SPDX-License-Identifier: Apache-2.0
// Ceiling loops lie both ways: a compiler may remove them, or a call's overhead may drown them.
#pragma once

#include <string>

#include "gk/registry.hpp"

namespace gk::measure {

// Why a ceiling of `per_s` bytes or FLOP per second on `threads` CPU threads cannot be true, or
// empty. The limits are those of hardware that does not exist yet, not of this machine.
std::string implausible(const Case& ceiling, double per_s, int threads);

// Why a cache level of `per_s` cannot be right when the next larger one reaches `larger_per_s`.
std::string slower_than_next(double per_s, const std::string& next, double larger_per_s);

}  // namespace gk::measure
