// SPDX-License-Identifier: Apache-2.0
// Copies to and from __device__ and __constant__ variables.
#include <bit>

#include "emulator/runtime/call.hpp"
#include "emulator/runtime/copies.hpp"
#include "emulator/runtime/registration.hpp"
#include "emulator/text.hpp"

using namespace gk::emulator::runtime;  // NOLINT(google-build-using-namespace): C entry points

namespace {

void* part_of(const void* symbol, std::size_t offset, std::size_t bytes) {
  const auto [address, size] = variable_of(symbol);
  if (offset > size || bytes > size - offset) {
    throw Refusal(cudaErrorInvalidValue, "a copy of " + gk::emulator::grouped(bytes) +
                                             " bytes at byte " + gk::emulator::grouped(offset) +
                                             " of a variable of " + gk::emulator::grouped(size));
  }
  return std::bit_cast<void*>(address + offset);
}

}  // namespace

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind kind) {
  return call([&] {
    refuse_legacy_while_capturing();
    run(Copy{part_of(symbol, offset, bytes), from, bytes, kind});
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind) {
  return call([&] {
    refuse_legacy_while_capturing();
    run(Copy{to, part_of(symbol, offset, bytes), bytes, kind});
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&] {
    void* const to = part_of(symbol, offset, bytes);
    submit(stream, [=] { run(Copy{to, from, bytes, kind}); });
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return call([&] {
    const void* const from = part_of(symbol, offset, bytes);
    submit(stream, [=] { run(Copy{to, from, bytes, kind}); });
  });
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return call([&] {
    if (pointer == nullptr) throw Refusal(cudaErrorInvalidValue);
    *pointer = std::bit_cast<void*>(variable_of(symbol).first);
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return call([&] {
    if (bytes == nullptr) throw Refusal(cudaErrorInvalidValue);
    *bytes = variable_of(symbol).second;
  });
}
