// SPDX-License-Identifier: Apache-2.0
// The ceiling that percentages are divided by: nothing but loads, at most one addition, and stores.
// Plans differ in the 16-byte loads that a thread has in flight, and in what they leave in L1.
#include <string>

#include "gk/check.hpp"
#include "gk/registry.hpp"
#include "gk/vector.cuh"
#include "kernels/ceiling_stream/problem.hpp"

namespace gk::ceiling_stream {
namespace {

constexpr int kThreads = 256;

template <int kReads>
struct Call {
  const float* read[kReads];
  float* written;
  std::uint32_t vectors;
};

template <int kReads, int kVectors, Access kAccess>
__global__ void __launch_bounds__(kThreads) ceiling_stream_kernel(const Call<kReads> call) {
  const std::uint32_t first = blockIdx.x * (kThreads * kVectors) + threadIdx.x;
  uint4 loaded[kVectors][kReads];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const std::uint32_t vector = first + i * kThreads;
    if (vector >= call.vectors) break;
    for (int s = 0; s < kReads; ++s) loaded[i][s] = load_vector<kAccess>(call.read[s], vector);
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const std::uint32_t vector = first + i * kThreads;
    if (vector >= call.vectors) break;
    float sum[4];
    unpack(loaded[i][0], sum);
    if constexpr (kReads == 2) {
      float other[4];
      unpack(loaded[i][1], other);
      for (int j = 0; j < 4; ++j) sum[j] += other[j];
    }
    store_vector<kAccess>(call.written, vector, pack(sum));
  }
}

template <int kReads, int kVectors, Access kAccess>
void launch(const CeilingStream::Operands& set, Stream stream) {
  const Flat extent = flat<float>(set.written.front().size());  // rows of 64: there is no tail
  Call<kReads> call{.read = {}, .written = set.written[0].as<float>(), .vectors = extent.vectors};
  for (int s = 0; s < kReads; ++s) call.read[s] = set.read[s].as<float>();
  const std::uint32_t blocks = extent.blocks(kThreads, kVectors);
  ceiling_stream_kernel<kReads, kVectors, kAccess><<<blocks, kThreads, 0, stream>>>(call);
  check(cudaGetLastError());
}

template <int kVectors, Access kAccess>
Plan plan(const CeilingStream& problem) {
  return {.detail = "vectors per thread: " + std::to_string(kVectors) + ", " +
                    (kAccess == Access::kPlain ? "plain" : "streaming"),
          .bind = [problem](Arena& arena) -> Launch {
            const auto set = problem.operands(arena);
            const auto run =
                problem.reads == 1 ? launch<1, kVectors, kAccess> : launch<2, kVectors, kAccess>;
            return [set, run](Stream stream) { run(set, stream); };
          }};
}

std::vector<Plan> plans(const CeilingStream& problem) {
  check_indexable(problem.height * kColumns);
  return {plan<1, Access::kPlain>(problem),     plan<2, Access::kPlain>(problem),
          plan<4, Access::kPlain>(problem),     plan<1, Access::kStreaming>(problem),
          plan<2, Access::kStreaming>(problem), plan<4, Access::kStreaming>(problem)};
}

// Memory, once: the mixes that the present ops are divided by.
bool applies(const CeilingStream& problem) {
  return problem.writes == 1 && problem.level == "dram" && problem.passes() == 1;
}

const Implementation<CeilingStream> registration{"cuda_fused", DeviceKind::kCuda, plans, applies};

}  // namespace
}  // namespace gk::ceiling_stream
