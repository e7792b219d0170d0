// SPDX-License-Identifier: Apache-2.0
// Driver functions that programs ask for by name so as not to link libcuda.
#include "emulator/runtime/call.hpp"

using namespace gk::emulator::runtime;  // NOLINT(google-build-using-namespace): C entry points

// None is emulated yet. The call itself succeeds, as a driver's does for a name it lacks.
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                             unsigned /*version*/, unsigned long long /*flags*/,
                                             cudaDriverEntryPointQueryResult* result) {
  return call([&] {
    if (symbol == nullptr || function == nullptr) throw Refusal(cudaErrorInvalidValue);
    *function = nullptr;
    if (result != nullptr) *result = cudaDriverEntryPointSymbolNotFound;
  });
}
