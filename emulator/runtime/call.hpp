// SPDX-License-Identifier: Apache-2.0
// What every entry point does around its own work: one lock, the sticky error, exceptions to codes.
#pragma once

#include <mutex>

#include "emulator/runtime/context.hpp"

namespace gk::emulator::runtime {

// Makes it the calling thread's last error.
cudaError_t note(cudaError_t error);

// In a catch block: says on stderr what was thrown and notes its code; a Fault becomes sticky.
cudaError_t note_exception();

template <class Body>
cudaError_t run_body(Body& body) {
  try {
    body();
    return cudaSuccess;
  } catch (...) {
    return note_exception();
  }
}

template <class Body>
cudaError_t call(Body body) {
  const std::scoped_lock lock(context().mutex);
  if (context().sticky != cudaSuccess) return note(context().sticky);
  return run_body(body);
}

// For calls that give something back: they do it after a fault as well, so that what a program
// frees on its way out is not reported as leaked.
template <class Body>
cudaError_t release(Body body) {
  const std::scoped_lock lock(context().mutex);
  const cudaError_t error = run_body(body);
  return context().sticky != cudaSuccess ? note(context().sticky) : error;
}

}  // namespace gk::emulator::runtime
