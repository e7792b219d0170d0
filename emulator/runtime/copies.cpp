// SPDX-License-Identifier: Apache-2.0
#include "emulator/runtime/copies.hpp"

#include <bit>
#include <cstring>
#include <string>

#include "emulator/control.hpp"
#include "emulator/memory/device_memory.hpp"
#include "emulator/runtime/call.hpp"
#include "emulator/text.hpp"

using namespace gk::emulator::runtime;  // NOLINT(google-build-using-namespace): C entry points

namespace gk::emulator::runtime {
namespace {

struct Side {
  std::uint64_t address;
  bool device;
};

Side side_of(const void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  return {address, DeviceMemory::instance().is_device(address)};
}

// Host memory is only known not to be null and not the device's.
std::byte* checked(Side side, bool device, std::size_t bytes, const std::string& what) {
  DeviceMemory& memory = DeviceMemory::instance();
  if (side.device != device || side.address == 0) {
    const char* const is = side.address == 0 ? "null"
                           : side.device     ? "device memory"
                                             : "host memory";
    throw Refusal(cudaErrorInvalidValue,
                  what + " is " + is + ", not " + (device ? "device memory" : "host memory"));
  }
  if (!device) return std::bit_cast<std::byte*>(side.address);
  if (!memory.is_live(side.address, bytes)) {
    throw Refusal(cudaErrorInvalidValue,
                  what + ", " + grouped(bytes) + " bytes: " + memory.explain(side.address, bytes));
  }
  return memory.host(side.address);
}

// A test that reads what no kernel wrote compares noise.
void require_written(std::uint64_t address, std::size_t bytes) {
  if (!options().uninitialised) return;
  const std::uint8_t* const marks = DeviceMemory::instance().written(address);
  const void* const gap = std::memchr(marks, 0, bytes);
  if (gap == nullptr) return;
  const auto first = static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(gap) - marks);
  throw Fault(FaultKind::kUninitialised,
              "uninitialised read: cudaMemcpy of " + grouped(bytes) +
                  " bytes to the host, of which byte " + grouped(first) + " was never written",
              {});
}

bool to_device(const Copy& copy, Side to) {
  if (copy.kind == cudaMemcpyDefault) return to.device;
  return copy.kind == cudaMemcpyHostToDevice || copy.kind == cudaMemcpyDeviceToDevice;
}

bool from_device(const Copy& copy, Side from) {
  if (copy.kind == cudaMemcpyDefault) return from.device;
  return copy.kind == cudaMemcpyDeviceToHost || copy.kind == cudaMemcpyDeviceToDevice;
}

void mark(Side to, Side from, std::size_t bytes) {
  DeviceMemory& memory = DeviceMemory::instance();
  if (to.device && from.device) {
    std::memmove(memory.written(to.address), memory.written(from.address), bytes);
  } else if (to.device) {
    memory.mark_written(to.address, bytes);
  }
}

}  // namespace

void run(const Copy& copy) {
  if (copy.kind < cudaMemcpyHostToHost || copy.kind > cudaMemcpyDefault) {
    throw Refusal(cudaErrorInvalidMemcpyDirection, "this direction of a copy does not exist");
  }
  if (copy.bytes == 0) return;
  const Side to = side_of(copy.to);
  const Side from = side_of(copy.from);
  std::byte* const target = checked(to, to_device(copy, to), copy.bytes, "target of a copy");
  const std::byte* const source =
      checked(from, from_device(copy, from), copy.bytes, "source of a copy");
  if (from.device && !to.device) require_written(from.address, copy.bytes);
  std::memmove(target, source, copy.bytes);
  mark(to, from, copy.bytes);
}

void fill(void* to, int value, std::size_t bytes) {
  if (bytes == 0) return;
  const Side side = side_of(to);
  std::memset(checked(side, true, bytes, "target of cudaMemset"), value, bytes);
  DeviceMemory::instance().mark_written(side.address, bytes);
}

}  // namespace gk::emulator::runtime

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return call([&] {
    refuse_legacy_while_capturing();
    run(Copy{to, from, bytes, kind});
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call([&] { submit(stream, [=] { run(Copy{to, from, bytes, kind}); }); });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return call([&] {
    refuse_legacy_while_capturing();
    fill(to, value, bytes);
  });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return call([&] { submit(stream, [=] { fill(to, value, bytes); }); });
}
