// SPDX-License-Identifier: Apache-2.0
// Copies and fills with every check, shared by the plain calls and those on symbols.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace gk::emulator::runtime {

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
  cudaMemcpyKind kind;
};

// Throws Refusal where a range is not live or on the wrong side; Fault where bytes that nobody
// ever wrote would go to the host.
void run(const Copy& copy);

void fill(void* to, int value, std::size_t bytes);

}  // namespace gk::emulator::runtime
