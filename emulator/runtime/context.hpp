// SPDX-License-Identifier: Apache-2.0
// All that the runtime remembers, but for what the programs registered (registration.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

#include "emulator/fault.hpp"
#include "emulator/runtime/handles.hpp"
#include "emulator/runtime/stream.hpp"

namespace gk::emulator::runtime {

struct Context {
  std::recursive_mutex mutex;  // host functions in a stream may ask for errors
  std::optional<Fault> fault;
  cudaError_t sticky = cudaSuccess;
  double clock_ns = 0;
  double launch_ns = 0;
  Stream legacy, per_thread;  // one for all threads: whatever they give it runs at once
  Handles<cudaStream_t, Stream> streams{"stream"};
  Handles<cudaEvent_t, Event> events{"event"};
  Handles<cudaGraph_t, Graph> graphs{"graph"};
  Handles<cudaGraphExec_t, GraphExec> execs{"graph exec"};
  std::map<void*, std::size_t> pinned;

  // Device memory, pinned memory, streams, events and graphs; errors stay.
  void free_all();
};

// Made at the first registration or call and never destroyed: fat binaries register before main()
// and take their leave after it.
Context& context();

// Of the calling thread, as in CUDA.
cudaError_t& last_error();

}  // namespace gk::emulator::runtime
