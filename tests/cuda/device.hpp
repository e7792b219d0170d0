// SPDX-License-Identifier: Apache-2.0
// What the CUDA tests hold: memory, streams, events and graphs that free themselves.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "gk/check.hpp"

namespace gk::cuda_test {

// Destroys with kDestroy; a destructor has no one to tell of a failure.
template <auto kDestroy>
struct Deleter {
  template <class T>
  void operator()(T* handle) const {
    static_cast<void>(kDestroy(handle));
  }
};

template <class Handle, auto kDestroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Deleter<kDestroy>>;

class Stream {
 public:
  Stream() {
    cudaStream_t made = nullptr;
    check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    stream_.reset(made);
  }
  cudaStream_t get() const { return stream_.get(); }
  void synchronize() const { check(cudaStreamSynchronize(get())); }

 private:
  Owned<cudaStream_t, cudaStreamDestroy> stream_;
};

class Event {
 public:
  Event() {
    cudaEvent_t made = nullptr;
    check(cudaEventCreateWithFlags(&made, cudaEventDefault));
    event_.reset(made);
  }
  cudaEvent_t get() const { return event_.get(); }

 private:
  Owned<cudaEvent_t, cudaEventDestroy> event_;
};

// What `enqueue(stream)` puts into a stream, recorded instead of run.
class Graph {
 public:
  template <class F>
  Graph(const Stream& stream, F&& enqueue) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    enqueue(stream.get());
    check(cudaStreamEndCapture(stream.get(), &graph));
    graph_.reset(graph);
    cudaGraphExec_t executable = nullptr;
    check(cudaGraphInstantiate(&executable, graph, 0));
    executable_.reset(executable);
  }
  void launch(const Stream& stream) const {
    check(cudaGraphLaunch(executable_.get(), stream.get()));
  }

 private:
  Owned<cudaGraph_t, cudaGraphDestroy> graph_;
  Owned<cudaGraphExec_t, cudaGraphExecDestroy> executable_;
};

// Elements on the device. Copies wait: tests are not about overlap.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) {
    void* made = nullptr;
    check(cudaMalloc(&made, count * sizeof(T)));
    data_.reset(made);
  }
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) { set(values); }

  T* data() const { return static_cast<T*>(data_.get()); }
  std::size_t size() const { return count_; }
  void set(const std::vector<T>& values) const {
    check(cudaMemcpy(data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    check(cudaDeviceSynchronize());
  }
  void fill_bytes(int byte) const {
    check(cudaMemset(data(), byte, count_ * sizeof(T)));
    check(cudaDeviceSynchronize());
  }
  // Waits for the whole device first, so that a kernel's fault is reported here at the latest.
  std::vector<T> get() const {
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    std::vector<T> values(count_);
    check(cudaMemcpy(values.data(), data(), count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_;
  std::unique_ptr<void, Deleter<cudaFree>> data_;
};

}  // namespace gk::cuda_test
