// SPDX-License-Identifier: Apache-2.0
// A status that is not success becomes an exception that says what, and where it was asked.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <stdexcept>
#include <string>

namespace gk {

struct CudaError : std::runtime_error {
  CudaError(cudaError_t status, const std::source_location& at)
      : std::runtime_error(std::string(cudaGetErrorName(status)) + " (" +
                           cudaGetErrorString(status) + ") at " + at.file_name() + ":" +
                           std::to_string(at.line())),
        status(status) {}
  cudaError_t status;
};

// After a launch: check(cudaGetLastError()).
inline void check(cudaError_t status,
                  const std::source_location& at = std::source_location::current()) {
  if (status != cudaSuccess) throw CudaError(status, at);
}

}  // namespace gk
