// SPDX-License-Identifier: Apache-2.0
// Allocation of device memory and of pinned host memory.
#include <bit>
#include <cstdlib>

#include "emulator/control.hpp"
#include "emulator/memory/device_memory.hpp"
#include "emulator/runtime/call.hpp"
#include "emulator/runtime/host_guard.hpp"
#include "emulator/text.hpp"

using namespace gk::emulator::runtime;  // NOLINT(google-build-using-namespace): C entry points

namespace {

using gk::emulator::DeviceMemory;
using gk::emulator::grouped;

constexpr std::size_t kPinnedAlignment = 4096;  // whole pages are what a driver pins

std::uint64_t device_bytes() {
  return static_cast<std::uint64_t>(gk::emulator::options().memory_bytes);
}

void* allocate(std::size_t bytes) {
  guard_device_range();
  if (bytes == 0) return nullptr;
  DeviceMemory& memory = DeviceMemory::instance();
  const std::uint64_t address =
      memory.allocate(bytes, gk::emulator::Owner::kProgram, device_bytes());
  if (address == 0) {
    throw Refusal(cudaErrorMemoryAllocation,
                  grouped(bytes) + " bytes of device memory; the device has " +
                      grouped(device_bytes()) + ", of which " + grouped(memory.live_bytes()) +
                      " are in use, or its addresses are used up");
  }
  return std::bit_cast<void*>(address);
}

void free_device(void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  DeviceMemory& memory = DeviceMemory::instance();
  if (pointer == nullptr || memory.free(address)) return;
  const bool inside = memory.is_live(address, 1);
  throw Refusal(cudaErrorInvalidValue,
                "cudaFree of " + (inside ? "an address inside an allocation, not its start"
                                         : memory.explain(address, 1)));
}

void* allocate_pinned(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::size_t pages = bytes / kPinnedAlignment + (bytes % kPinnedAlignment != 0 ? 1 : 0);
  const bool is_possible = pages <= SIZE_MAX / kPinnedAlignment;
  void* const memory =
      is_possible ? std::aligned_alloc(kPinnedAlignment, pages * kPinnedAlignment) : nullptr;
  if (memory == nullptr) {
    throw Refusal(cudaErrorMemoryAllocation, grouped(bytes) + " bytes of pinned host memory");
  }
  context().pinned[memory] = bytes;
  return memory;
}

void free_pinned(void* memory) {
  if (memory == nullptr) return;
  if (context().pinned.erase(memory) == 0) {
    throw Refusal(cudaErrorInvalidValue, "cudaFreeHost of memory that is not pinned or was freed");
  }
  std::free(memory);
}

bool is_pinned(const void* pointer) {
  auto& pinned = context().pinned;
  auto after = pinned.upper_bound(const_cast<void*>(pointer));
  if (after == pinned.begin()) return false;
  const auto& [begin, bytes] = *--after;
  return static_cast<const std::byte*>(pointer) < static_cast<std::byte*>(begin) + bytes;
}

void refuse_in_capture(cudaStream_t stream) {
  if (stream_of(stream).capture) {
    throw Refusal(cudaErrorNotSupported, "allocation in a graph is not emulated");
  }
}

cudaPointerAttributes attributes_of(const void* pointer) {
  cudaPointerAttributes attributes{};
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  if (DeviceMemory::instance().is_live(address, 1)) {
    attributes.type = cudaMemoryTypeDevice;
    attributes.devicePointer = const_cast<void*>(pointer);
    return attributes;
  }
  attributes.type = is_pinned(pointer) ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
  attributes.hostPointer = const_cast<void*>(pointer);
  // No devicePointer: this device does not reach host memory.
  if (attributes.type == cudaMemoryTypeUnregistered) attributes.device = cudaInvalidDeviceId;
  return attributes;
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return call([&] {
    refuse_while_capturing();
    if (pointer == nullptr) throw Refusal(cudaErrorInvalidValue);
    *pointer = allocate(bytes);
  });
}

cudaError_t cudaFree(void* pointer) {
  return release([&] {
    refuse_while_capturing();
    free_device(pointer);
  });
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return call([&] {
    refuse_in_capture(stream);
    if (pointer == nullptr) throw Refusal(cudaErrorInvalidValue);
    *pointer = allocate(bytes);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return release([&] {
    refuse_in_capture(stream);
    free_device(pointer);
  });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return call([&] {
    refuse_while_capturing();
    if (pointer == nullptr) throw Refusal(cudaErrorInvalidValue);
    if ((flags & cudaHostAllocMapped) != 0) {
      throw Refusal(cudaErrorNotSupported, "host memory mapped into the device is not emulated");
    }
    *pointer = allocate_pinned(bytes);
  });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* pointer) {
  return release([&] {
    refuse_while_capturing();
    free_pinned(pointer);
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call([&] {
    if (free == nullptr || total == nullptr) throw Refusal(cudaErrorInvalidValue);
    const std::uint64_t used = DeviceMemory::instance().live_bytes();
    *total = device_bytes();
    *free = used < *total ? *total - used : 0;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call([&] {
    if (attributes == nullptr) throw Refusal(cudaErrorInvalidValue);
    *attributes = attributes_of(pointer);
  });
}
