// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/faulty_kernels.hpp"

namespace gk::emulator::faulty {
namespace {

__global__ void store_past_end_kernel(float* out, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = 1.0F;  // faults_test.cpp looks for this line
}

__global__ void store_misaligned_kernel(float* out) {
  reinterpret_cast<float2*>(out)[threadIdx.x] = make_float2(1.0F, 2.0F);
}

__global__ void store_to_shared_past_end_kernel(float* out, int offset) {
  extern __shared__ float values[];
  values[threadIdx.x + offset] = 1.0F;
  out[threadIdx.x] = values[threadIdx.x + offset];
}

__global__ void index_local_past_end_kernel(int* out, int index) {
  int values[8];
  for (int i = 0; i < 8; ++i) values[i] = static_cast<int>(threadIdx.x) * i;
  for (int i = 0; i < index; ++i) values[(i * 5) % 8] += values[(i * 3) % 8];
  out[threadIdx.x] = values[index];
}

__global__ void read_unwritten_shared_kernel(float* out, bool wrong) {
  __shared__ float values[32];
  if (!wrong || threadIdx.x != 7) values[threadIdx.x] = 1.0F;
  out[threadIdx.x] = values[threadIdx.x];
}

__global__ void read_global_kernel(float* out, const float* in) {
  out[threadIdx.x] = in[threadIdx.x];
}

__global__ void exchange_between_warps_kernel(float* out, bool wrong) {
  __shared__ float values[64];
  values[threadIdx.x] = 0.0F;
  __syncthreads();
  values[threadIdx.x] = static_cast<float>(threadIdx.x);
  if (!wrong) __syncthreads();
  out[threadIdx.x] = values[63 - threadIdx.x];
}

__global__ void overwrite_while_read_kernel(float* out, bool wrong) {
  __shared__ float values[64];
  values[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncthreads();
  const float other = values[63 - threadIdx.x];
  if (!wrong) __syncthreads();
  values[threadIdx.x] = other;
  __syncthreads();
  out[threadIdx.x] = values[63 - threadIdx.x];
}

__global__ void exchange_in_warp_kernel(float* out, bool wrong) {
  __shared__ float values[32];
  values[threadIdx.x] = static_cast<float>(threadIdx.x);
  if (!wrong) __syncwarp();
  out[threadIdx.x] = values[31 - threadIdx.x];
}

__global__ void write_from_all_blocks_kernel(float* out, bool wrong) {
  if (threadIdx.x == 0) out[wrong ? 0 : blockIdx.x] = 1.0F;
}

__global__ void sum_in_last_block_kernel(float* partials, float* out, unsigned* counter,
                                         int missing) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) is_last = false;
  if (threadIdx.x == 32) partials[blockIdx.x] = 1.0F + static_cast<float>(blockIdx.x);
  if (missing != kBarrierBefore) __syncthreads();
  if (threadIdx.x == 0) {
    if (missing != kFenceBefore) __threadfence();
    is_last = atomicAdd(counter, 1U) == gridDim.x - 1;
    if (missing != kFenceAfter) __threadfence();
  }
  if (missing != kBarrierAfter) __syncthreads();
  if (is_last && threadIdx.x == 40) {
    float sum = 0.0F;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += partials[i];
    *out = sum;
  }
}

__global__ void barrier_for_some_kernel(float* out, bool wrong) {
  if (!wrong || threadIdx.x % 2 == 0) __syncthreads();
  out[threadIdx.x] = 1.0F;
  __syncthreads();
}

__global__ void barriers_at_two_places_kernel(float* out, bool wrong) {
  if (wrong && threadIdx.x < 32) {
    out[threadIdx.x] = 1.0F;
    __syncthreads();
  } else {
    out[threadIdx.x] = 2.0F;
    __syncthreads();
  }
}

__global__ void named_barrier_for_more_kernel(float* out, int expected) {
  asm volatile("bar.sync 1, %0;" ::"r"(expected) : "memory");
  out[threadIdx.x] = 1.0F;
}

__global__ void shuffle_without_self_kernel(int* out, bool wrong) {
  const unsigned mask = wrong ? 0xfffffffeU : 0xffffffffU;
  out[threadIdx.x] = __shfl_sync(mask, static_cast<int>(threadIdx.x), 1);
}

__global__ void shuffle_after_exit_kernel(int* out, bool wrong) {
  if (wrong && threadIdx.x == 31) return;
  out[threadIdx.x] = __shfl_down_sync(0xffffffffU, static_cast<int>(threadIdx.x), 1);
}

__global__ void shuffle_apart_kernel(int* out, bool wrong) {
  int value = static_cast<int>(threadIdx.x);
  if (!wrong || threadIdx.x < 16) {
    value = __shfl_xor_sync(0xffffffffU, value, 1);
  } else {
    value = __shfl_xor_sync(0xffffffffU, value, 2);
  }
  out[threadIdx.x] = value;
}

__global__ void shuffle_from_outside_kernel(int* out, bool wrong) {
  if (threadIdx.x < 16) {
    const int from = wrong ? 20 : 3;
    out[threadIdx.x] = __shfl_sync(0x0000ffffU, static_cast<int>(threadIdx.x), from);
  }
}

__global__ void loop_without_end_kernel(int* out, bool wrong) {
  while (wrong && *static_cast<volatile int*>(out) == 0) {
  }
  *out = 1;
}

__global__ void trap_kernel(bool wrong) {
  if (wrong) __trap();
}

// A flag handed from block to block: each has to see all that was done before the one before it.
__global__ void chain_kernel(volatile int* flags, int* value, bool wrong) {
  if (threadIdx.x != 0) return;
  const unsigned block = blockIdx.x;
  if (block == 0) {
    *value = 7;
  } else {
    while (flags[block - 1] == 0) {
    }
    if (!wrong || block != 2) __threadfence();
  }
  if (block == 2) value[1] = value[0];
  __threadfence();
  flags[block] = 1;
}

// The lower half of the warp must not wait for a lane of the upper half that spins.
__global__ void groups_kernel(volatile int* flag, bool wrong) {
  const unsigned lane = threadIdx.x;
  const unsigned mask = wrong ? 0xffffffffU : lane < 16 ? 0x0000ffffU : 0xffff0000U;
  if (lane == 31) {
    while (*flag == 0) {
    }
  }
  __syncwarp(mask);
  if (lane == 0) *flag = 1;
}

}  // namespace

void store_past_end(float* out, int count, bool wrong) {
  store_past_end_kernel<<<8, 128>>>(out, wrong ? count + 1 : count);
}
void store_misaligned(float* out, bool wrong) {
  store_misaligned_kernel<<<1, 32>>>(wrong ? out + 1 : out);
}
void store_to_shared_past_end(float* out, bool wrong) {
  store_to_shared_past_end_kernel<<<1, 32, 32 * sizeof(float)>>>(out, wrong ? 1 : 0);
}
void index_local_past_end(int* out, int index) {
  index_local_past_end_kernel<<<1, 32>>>(out, index);
}
void read_unwritten_shared(float* out, bool wrong) {
  read_unwritten_shared_kernel<<<1, 32>>>(out, wrong);
}
void read_global(float* out, const float* in) { read_global_kernel<<<1, 32>>>(out, in); }
void exchange_between_warps(float* out, bool wrong) {
  exchange_between_warps_kernel<<<1, 64>>>(out, wrong);
}
void overwrite_while_read(float* out, bool wrong) {
  overwrite_while_read_kernel<<<1, 64>>>(out, wrong);
}
void exchange_in_warp(float* out, bool wrong) { exchange_in_warp_kernel<<<1, 32>>>(out, wrong); }
void write_from_all_blocks(float* out, bool wrong) {
  write_from_all_blocks_kernel<<<2, 32>>>(out, wrong);
}
void sum_in_last_block(float* partials, float* out, unsigned* counter, int missing) {
  sum_in_last_block_kernel<<<4, 64>>>(partials, out, counter, missing);
}
void barrier_for_some(float* out, bool wrong) { barrier_for_some_kernel<<<1, 64>>>(out, wrong); }
void barriers_at_two_places(float* out, bool wrong) {
  barriers_at_two_places_kernel<<<1, 64>>>(out, wrong);
}
void named_barrier_for_more(float* out, int expected) {
  named_barrier_for_more_kernel<<<1, 64>>>(out, expected);
}
void shuffle_without_self(int* out, bool wrong) {
  shuffle_without_self_kernel<<<1, 32>>>(out, wrong);
}
void shuffle_after_exit(int* out, bool wrong) { shuffle_after_exit_kernel<<<1, 32>>>(out, wrong); }
void shuffle_apart(int* out, bool wrong) { shuffle_apart_kernel<<<1, 32>>>(out, wrong); }
void shuffle_from_outside(int* out, bool wrong) {
  shuffle_from_outside_kernel<<<1, 32>>>(out, wrong);
}
void loop_without_end(int* out, bool wrong) { loop_without_end_kernel<<<1, 1>>>(out, wrong); }
void chain(int* flags, int* value, bool wrong) { chain_kernel<<<3, 32>>>(flags, value, wrong); }
void groups(int* flag, bool wrong) { groups_kernel<<<1, 32>>>(flag, wrong); }
void trap(bool wrong) { trap_kernel<<<1, 32>>>(wrong); }

}  // namespace gk::emulator::faulty
