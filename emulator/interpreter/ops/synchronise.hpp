// SPDX-License-Identifier: Apache-2.0
// Lanes that have to be together: in a warp, at a barrier.
#pragma once

#include <cstdint>

#include "emulator/interpreter/warp.hpp"

namespace gk::emulator {

// Whether the groups of lanes that `members` names, lane by lane, are at this instruction. Those
// that are execute it now; lanes of others wait (Warp::held_back, or kGather where none is
// complete). A mask that can never be complete is a fault.
bool are_together(Warp& warp, const Instruction& at, const std::uint32_t* members);

// Writes what a bar.red computed for a fragment that waited.
void deliver_barrier_result(Warp& warp, const Fragment& fragment, std::uint32_t counted,
                            std::uint32_t threads);

// Nobody in the block can run: says what `fragment` waits for.
[[noreturn]] void raise_stuck(const Warp& warp, const Instruction& at, const Fragment& fragment);

}  // namespace gk::emulator
