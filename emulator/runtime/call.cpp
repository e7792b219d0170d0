// SPDX-License-Identifier: Apache-2.0
#include "emulator/runtime/call.hpp"

#include <cstdio>
#include <new>

#include "emulator/ptx/fatbin.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/runtime/refusal.hpp"

namespace gk::emulator::runtime {
namespace {

cudaError_t error_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kOutOfBounds:
      return cudaErrorIllegalAddress;
    case FaultKind::kMisaligned:
      return cudaErrorMisalignedAddress;
    case FaultKind::kTrap:
      return cudaErrorIllegalInstruction;
    case FaultKind::kUnsupported:
      return cudaErrorInvalidPtx;
    default:
      return cudaErrorLaunchFailure;
  }
}

cudaError_t say(cudaError_t error, const char* sentence) {
  if (*sentence != '\0') std::fprintf(stderr, "emulator: %s\n", sentence);
  return note(error);
}

cudaError_t remember(const Fault& fault) {
  Context& state = context();
  if (!state.fault) {
    state.fault = fault;
    state.sticky = error_of(fault.kind);
  }
  return say(error_of(fault.kind), fault.what());
}

}  // namespace

cudaError_t note(cudaError_t error) {
  last_error() = error;
  return error;
}

cudaError_t note_exception() {
  try {
    throw;
  } catch (const Fault& fault) {
    return remember(fault);
  } catch (const Refusal& refusal) {
    return say(refusal.code, refusal.what());
  } catch (const FatbinError& error) {
    return say(cudaErrorInvalidPtx, error.what());
  } catch (const ptx::Error& error) {
    return say(cudaErrorInvalidPtx, error.what());
  } catch (const std::bad_alloc&) {
    return say(cudaErrorMemoryAllocation, "the host has no memory left");
  } catch (const std::exception& error) {
    return say(cudaErrorUnknown, error.what());
  } catch (...) {  // host functions are the program's own
    return say(cudaErrorUnknown, "a host function threw what is no std::exception");
  }
}

}  // namespace gk::emulator::runtime
