// SPDX-License-Identifier: Apache-2.0
// Streams, events and graphs, as the timing engine uses them.
#include <gtest/gtest.h>

#include "tests/cuda/device.hpp"

namespace gk {
namespace {

using cuda_test::Buffer;
using cuda_test::Event;
using cuda_test::Graph;
using cuda_test::Stream;

__global__ void add_kernel(int* count, int value) { count[threadIdx.x] += value; }

void enqueue_add(const Buffer<int>& counts, int value, cudaStream_t stream) {
  add_kernel<<<1, counts.size(), 0, stream>>>(counts.data(), value);
  check(cudaGetLastError());
}

TEST(CudaGraph, RecordsWithoutRunning) {
  const Buffer<int> counts(std::vector<int>(32, 0));
  const Stream stream;
  const Graph graph(stream, [&](cudaStream_t s) { enqueue_add(counts, 1, s); });
  stream.synchronize();
  EXPECT_EQ(counts.get(), std::vector<int>(32, 0));
}

TEST(CudaGraph, ReplaysEveryNodeInOrder) {
  const Buffer<int> counts(std::vector<int>(32, 5)), copy(32);
  const Stream stream;
  const Graph graph(stream, [&](cudaStream_t s) {
    check(cudaMemsetAsync(counts.data(), 0, 32 * sizeof(int), s));
    enqueue_add(counts, 1, s);
    enqueue_add(counts, 10, s);
    check(
        cudaMemcpyAsync(copy.data(), counts.data(), 32 * sizeof(int), cudaMemcpyDeviceToDevice, s));
    enqueue_add(counts, 100, s);
  });
  for (int replay = 0; replay < 3; ++replay) graph.launch(stream);
  stream.synchronize();
  EXPECT_EQ(copy.get(), std::vector<int>(32, 11));
  EXPECT_EQ(counts.get(), std::vector<int>(32, 111));
}

TEST(CudaGraph, KeepsTheArgumentsOfItsCapture) {
  const Buffer<int> counts(std::vector<int>(32, 0));
  const Stream stream;
  int value = 7;
  const Graph graph(stream, [&](cudaStream_t s) { enqueue_add(counts, value, s); });
  value = 1000;
  for (int replay = 0; replay < 4; ++replay) graph.launch(stream);
  stream.synchronize();
  EXPECT_EQ(counts.get(), std::vector<int>(32, 28));
}

TEST(CudaGraph, SpansStreamsThatEventsJoin) {
  const Buffer<int> left(std::vector<int>(32, 0)), right(std::vector<int>(32, 0));
  const Stream stream, other;
  const Event fork, join;
  const Graph graph(stream, [&](cudaStream_t s) {
    check(cudaEventRecord(fork.get(), s));
    check(cudaStreamWaitEvent(other.get(), fork.get(), 0));
    enqueue_add(left, 1, s);
    enqueue_add(right, 2, other.get());
    check(cudaEventRecord(join.get(), other.get()));
    check(cudaStreamWaitEvent(s, join.get(), 0));
    enqueue_add(right, 10, s);
  });
  graph.launch(stream);
  graph.launch(stream);
  stream.synchronize();
  EXPECT_EQ(left.get(), std::vector<int>(32, 2));
  EXPECT_EQ(right.get(), std::vector<int>(32, 24));
}

TEST(CudaEvent, MeasuresAStream) {
  const Buffer<int> counts(std::vector<int>(32, 0));
  const Stream stream;
  const Event begin, end;
  check(cudaEventRecord(begin.get(), stream.get()));
  enqueue_add(counts, 1, stream.get());
  check(cudaEventRecord(end.get(), stream.get()));
  check(cudaEventSynchronize(end.get()));
  float milliseconds = -1;
  check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(cudaEventQuery(end.get()), cudaSuccess);
}

TEST(CudaEvent, OrdersTwoStreams) {
  const Buffer<int> counts(std::vector<int>(32, 0));
  const Stream first, second;
  const Event done;
  enqueue_add(counts, 3, first.get());
  check(cudaEventRecord(done.get(), first.get()));
  check(cudaStreamWaitEvent(second.get(), done.get(), 0));
  enqueue_add(counts, 4, second.get());
  second.synchronize();
  EXPECT_EQ(counts.get(), std::vector<int>(32, 7));
}

}  // namespace
}  // namespace gk
