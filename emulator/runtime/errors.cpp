// SPDX-License-Identifier: Apache-2.0
// Error codes in words. The sentence of the sticky error is the fault's own, so that a program
// that prints its CUDA errors says what happened and where.
#include <algorithm>
#include <array>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "emulator/runtime/call.hpp"

using namespace gk::emulator::runtime;  // NOLINT(google-build-using-namespace): C entry points

namespace {

struct Words {
  cudaError_t error;
  const char* name;
  const char* text;
};

// Those that this runtime returns, and those that programs compare with.
constexpr std::array kWords{
    Words{cudaSuccess, "cudaSuccess", "no error"},
    Words{cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    Words{cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    Words{cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    Words{cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
          "invalid configuration argument"},
    Words{cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    Words{cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
          "invalid copy direction for memcpy"},
    Words{cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
          "CUDA driver version is insufficient for CUDA runtime version"},
    Words{cudaErrorMissingConfiguration, "cudaErrorMissingConfiguration",
          "__global__ function call is not configured"},
    Words{cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction",
          "invalid device function"},
    Words{cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    Words{cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    Words{cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
          "no kernel image is available for execution on the device"},
    Words{cudaErrorInvalidPtx, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
    Words{cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle",
          "invalid resource handle"},
    Words{cudaErrorIllegalState, "cudaErrorIllegalState",
          "the operation cannot be performed in the present state"},
    Words{cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    Words{cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    Words{cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
          "an illegal memory access was encountered"},
    Words{cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
          "too many resources requested for launch"},
    Words{cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction",
          "an illegal instruction was encountered"},
    Words{cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    Words{cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    Words{cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
          "too many blocks in cooperative launch"},
    Words{cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    Words{cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    Words{cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
          "operation not permitted when stream is capturing"},
    Words{cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
          "operation failed due to a previous error during capture"},
    Words{cudaErrorStreamCaptureMerge, "cudaErrorStreamCaptureMerge",
          "operation would result in a merge of separate capture sequences"},
    Words{cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
          "capture was not ended in the same stream as it began"},
    Words{cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
          "capturing stream has unjoined work"},
    Words{cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
          "dependency created on uncaptured work in another stream"},
    Words{cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
          "operation would make the legacy stream depend on a capturing blocking stream"},
    Words{cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
          "operation not permitted on an event last recorded in a capturing stream"},
    Words{cudaErrorStreamCaptureWrongThread, "cudaErrorStreamCaptureWrongThread",
          "attempt to terminate a thread-local capture sequence from another thread"},
    Words{cudaErrorInvalidClusterSize, "cudaErrorInvalidClusterSize", "cluster misconfiguration"},
    Words{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const Words& words_of(cudaError_t error) {
  static constexpr Words kNone{cudaErrorUnknown, "unrecognized error code",
                               "unrecognized error code"};
  const auto found = std::ranges::find(kWords, error, &Words::error);
  return found == kWords.end() ? kNone : *found;
}

// Callers keep the pointer for good, past emulator::reset() too.
const char* kept(const std::string& text) {
  static auto* const all = new std::set<std::string>;
  return all->insert(text).first->c_str();
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) { return words_of(error).name; }

const char* cudaGetErrorString(cudaError_t error) {
  const std::scoped_lock lock(context().mutex);
  if (error != cudaSuccess && error == context().sticky) return kept(context().fault->what());
  return words_of(error).text;
}

cudaError_t cudaPeekAtLastError() {
  const std::scoped_lock lock(context().mutex);
  return context().sticky != cudaSuccess ? context().sticky : last_error();
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  last_error() = cudaSuccess;
  return error;
}
