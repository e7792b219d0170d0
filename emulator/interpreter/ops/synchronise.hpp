// SPDX-License-Identifier: Apache-2.0
// Lanes that have to be together: in a warp, at a barrier.
#pragma once

#include <cstdint>

#include "emulator/interpreter/warp.hpp"

namespace gk::emulator {

// Whether all lanes that `members` names are at this instruction. If not: kGather when they may
// still come, a fault when they cannot. `members` must hold the same for all active lanes of one
// group; the mask is read per lane.
bool are_together(Warp& warp, const Instruction& at, const std::uint32_t* members);

// Lanes of the warp end while others of it wait for them at a barrier of whole warps.
void check_not_left_behind(const Warp& warp, std::uint32_t ended);

// Writes what a bar.red computed for a fragment that waited.
void deliver_barrier_result(Warp& warp, const Fragment& fragment, std::uint32_t counted,
                            std::uint32_t threads);

// Nobody in the block can run: says what `fragment` waits for.
[[noreturn]] void raise_stuck(const Warp& warp, const Instruction& at, const Fragment& fragment);

}  // namespace gk::emulator
