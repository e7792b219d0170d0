// SPDX-License-Identifier: Apache-2.0
// Streams run what they are given at once; while capturing they write it down instead.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

namespace gk::emulator::runtime {

// One asynchronous operation; may run many times. Throws Refusal or Fault.
using Operation = std::function<void()>;
using Operations = std::vector<Operation>;

struct Stream;

// How many operations of each stream come before a point of a capture.
using Progress = std::map<const Stream*, std::uint64_t>;

// Shared by the streams that take part and by events recorded in them.
struct Capture {
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  const Stream* origin;
  bool valid = true;
  bool open = true;
  Operations operations;  // in the order of the calls, which keeps every dependency
  Progress recorded;
};

struct Stream {
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  std::shared_ptr<Capture> capture;
  Progress before;  // what the stream's next operation comes after
};

struct Event {
  unsigned flags;
  bool recorded = false;
  double at_ns = 0;
  std::shared_ptr<Capture> capture;  // where it was last recorded in one
  Progress before;
};

struct Graph {
  std::shared_ptr<const Operations> operations;
};

struct GraphExec {
  std::shared_ptr<const Operations> operations;
};

// The stream behind a handle, the two built-in ones too. Throws Refusal.
Stream& stream_of(cudaStream_t handle);

// Runs the operation or records it. Throws Refusal, and what the operation throws.
void submit(cudaStream_t stream, Operation operation);

// Ends the capture for every stream in it, whether or not a graph comes of it.
void close(const std::shared_ptr<Capture>& capture);

// For calls that wait for the device or may do so. In a capture they are refused and spoil it, for
// a graph could not hold the wait.
void refuse_while_capturing();
void refuse_while_capturing(const Stream& stream);

// What a synchronous copy does: it goes through the legacy stream.
void refuse_legacy_while_capturing();

}  // namespace gk::emulator::runtime
