// SPDX-License-Identifier: Apache-2.0
// What the interpreter adds to emulator::executed().
#pragma once

#include <cstdint>

namespace gk::emulator {

// Once per launch, from any thread.
void count(std::uint64_t thread_instructions, std::uint64_t warp_instructions, double seconds);

}  // namespace gk::emulator
