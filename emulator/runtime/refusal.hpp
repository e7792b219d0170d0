// SPDX-License-Identifier: Apache-2.0
// A call that a GPU's runtime would refuse. Thrown inside the runtime, an error code outside.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace gk::emulator::runtime {

struct Refusal : std::runtime_error {
  // The sentence goes to stderr, for the code alone seldom tells enough; empty: the code does.
  explicit Refusal(cudaError_t error, const std::string& sentence = {})
      : std::runtime_error(sentence), code(error) {}
  cudaError_t code;
};

}  // namespace gk::emulator::runtime
