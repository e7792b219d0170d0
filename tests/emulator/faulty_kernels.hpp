// SPDX-License-Identifier: Apache-2.0
// Launches kernels that are wrong on purpose. `wrong` chooses between the fault and its right twin,
// so that a check that cries wolf is seen as well as one that sleeps.
#pragma once

#include <cstdint>

namespace gk::emulator::faulty {

void store_past_end(float* out, int count, bool wrong);  // count elements
void store_misaligned(float* out, bool wrong);           // 65 elements
void store_to_shared_past_end(float* out, bool wrong);   // 32 elements
void index_local_past_end(int* out, int index);          // 32 elements, 0 <= index < 8
void read_unwritten_shared(float* out, bool wrong);      // 32 elements
void read_global(float* out, const float* in);           // 32 elements each
void exchange_between_warps(float* out, bool wrong);     // 64 elements: no __syncthreads
void overwrite_while_read(float* out, bool wrong);       // 64 elements: no second barrier
void exchange_in_warp(float* out, bool wrong);           // 32 elements: no __syncwarp
void write_from_all_blocks(float* out, bool wrong);      // 2 elements
void sum_in_last_block(float* partials, float* out, unsigned* counter, int missing);  // 4, 1, 1
void barrier_for_some(float* out, bool wrong);                                        // 64 elements
void barriers_at_two_places(float* out, bool wrong);                                  // 64 elements
void named_barrier_for_more(float* out, int expected);  // 64 elements, 64 is right
void shuffle_without_self(int* out, bool wrong);        // 32 elements
void shuffle_after_exit(int* out, bool wrong);          // 32 elements
void shuffle_apart(int* out, bool wrong);               // 32 elements
void shuffle_from_outside(int* out, bool wrong);        // 32 elements
void loop_without_end(int* out, bool wrong);            // 1 element, zero
void chain(int* flags, int* value, bool wrong);         // 3 zeros, 2
void groups(int* flag, bool wrong);                     // 1 element, zero
void trap(bool wrong);

// What sum_in_last_block() leaves out.
enum Missing { kNothing, kFenceBefore, kFenceAfter, kBarrierBefore, kBarrierAfter };

}  // namespace gk::emulator::faulty
