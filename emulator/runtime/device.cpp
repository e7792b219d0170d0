// SPDX-License-Identifier: Apache-2.0
// The one emulated device: an H100's limits, a small cache and memory (control.hpp).
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "emulator/control.hpp"
#include "emulator/runtime/call.hpp"
#include "emulator/runtime/limits.hpp"

using namespace gk::emulator::runtime;  // NOLINT(google-build-using-namespace): C entry points

namespace {

constexpr std::string_view kName = "emulated sm_90";
constexpr int kMajor = 9;
constexpr int kMinor = 0;
constexpr int kVersion = CUDART_VERSION;
constexpr int kBusBits = 5120;                    // H100 SXM, five stacks of HBM3
constexpr int kClockKilohertz = 1'980'000;        // H100 SXM, boost
constexpr int kMemoryClockKilohertz = 2'619'000;  // H100 SXM
constexpr int kCopyEngines = 3;

struct Attribute {
  cudaDeviceAttr name;
  int value;
};

int l2_bytes() { return static_cast<int>(gk::emulator::options().l2_bytes); }

constexpr int limit(std::uint32_t value) { return static_cast<int>(value); }

constexpr std::array kAttributes{
    Attribute{cudaDevAttrMaxThreadsPerBlock, limits::kThreadsPerBlock},
    Attribute{cudaDevAttrMaxBlockDimX, limit(limits::kBlock[0])},
    Attribute{cudaDevAttrMaxBlockDimY, limit(limits::kBlock[1])},
    Attribute{cudaDevAttrMaxBlockDimZ, limit(limits::kBlock[2])},
    Attribute{cudaDevAttrMaxGridDimX, limit(limits::kGrid[0])},
    Attribute{cudaDevAttrMaxGridDimY, limit(limits::kGrid[1])},
    Attribute{cudaDevAttrMaxGridDimZ, limit(limits::kGrid[2])},
    Attribute{cudaDevAttrMaxSharedMemoryPerBlock, limits::kSharedBytesPerBlock},
    Attribute{cudaDevAttrMaxSharedMemoryPerBlockOptin, limits::kSharedBytesPerBlockOptIn},
    Attribute{cudaDevAttrMaxSharedMemoryPerMultiprocessor, limits::kSharedBytesPerMultiprocessor},
    Attribute{cudaDevAttrReservedSharedMemoryPerBlock, limits::kReservedSharedBytes},
    Attribute{cudaDevAttrTotalConstantMemory, limits::kConstantBytes},
    Attribute{cudaDevAttrWarpSize, limits::kWarp},
    Attribute{cudaDevAttrMaxRegistersPerBlock, limits::kRegisters},
    Attribute{cudaDevAttrMaxRegistersPerMultiprocessor, limits::kRegisters},
    Attribute{cudaDevAttrMultiProcessorCount, limits::kMultiprocessors},
    Attribute{cudaDevAttrMaxThreadsPerMultiProcessor, limits::kThreadsPerMultiprocessor},
    Attribute{cudaDevAttrMaxBlocksPerMultiprocessor, limits::kBlocksPerMultiprocessor},
    Attribute{cudaDevAttrComputeCapabilityMajor, kMajor},
    Attribute{cudaDevAttrComputeCapabilityMinor, kMinor},
    Attribute{cudaDevAttrClockRate, kClockKilohertz},
    Attribute{cudaDevAttrMemoryClockRate, kMemoryClockKilohertz},
    Attribute{cudaDevAttrGlobalMemoryBusWidth, kBusBits},
    Attribute{cudaDevAttrAsyncEngineCount, kCopyEngines},
    Attribute{cudaDevAttrConcurrentKernels, 1},
    Attribute{cudaDevAttrUnifiedAddressing, 1},
    Attribute{cudaDevAttrStreamPrioritiesSupported, 1},
    Attribute{cudaDevAttrCooperativeLaunch, 1},
    Attribute{cudaDevAttrClusterLaunch, 1},
    Attribute{cudaDevAttrMemoryPoolsSupported, 1},
    Attribute{cudaDevAttrEccEnabled, 0},
    Attribute{cudaDevAttrIntegrated, 0},
    Attribute{cudaDevAttrKernelExecTimeout, 0},
    Attribute{cudaDevAttrComputeMode, cudaComputeModeDefault},
    Attribute{cudaDevAttrCanMapHostMemory, 0},
    Attribute{cudaDevAttrManagedMemory, 0},
    Attribute{cudaDevAttrConcurrentManagedAccess, 0},
    Attribute{cudaDevAttrPageableMemoryAccess, 0},
    Attribute{cudaDevAttrHostNativeAtomicSupported, 0},
    Attribute{cudaDevAttrMaxPersistingL2CacheSize, 0},
    Attribute{cudaDevAttrMaxAccessPolicyWindowSize, 0},
};

int value_of(cudaDeviceAttr name) {
  if (name == cudaDevAttrL2CacheSize) return l2_bytes();
  const auto found = std::ranges::find(kAttributes, name, &Attribute::name);
  if (found == kAttributes.end()) {
    throw Refusal(cudaErrorInvalidValue,
                  "device attribute " + std::to_string(name) + " is not emulated");
  }
  return found->value;
}

void require_device(int device) {
  if (device != 0) {
    throw Refusal(cudaErrorInvalidDevice, "there is one emulated device, number 0");
  }
}

void fill_sizes(cudaDeviceProp& device) {
  device.totalGlobalMem = static_cast<std::size_t>(gk::emulator::options().memory_bytes);
  device.l2CacheSize = l2_bytes();
  device.sharedMemPerBlock = limits::kSharedBytesPerBlock;
  device.sharedMemPerBlockOptin = limits::kSharedBytesPerBlockOptIn;
  device.sharedMemPerMultiprocessor = limits::kSharedBytesPerMultiprocessor;
  device.reservedSharedMemPerBlock = limits::kReservedSharedBytes;
  device.totalConstMem = limits::kConstantBytes;
  device.regsPerBlock = limits::kRegisters;
  device.regsPerMultiprocessor = limits::kRegisters;
  device.memoryBusWidth = kBusBits;
}

void fill_shape(cudaDeviceProp& device) {
  device.warpSize = limits::kWarp;
  device.multiProcessorCount = limits::kMultiprocessors;
  device.maxThreadsPerBlock = limits::kThreadsPerBlock;
  device.maxThreadsPerMultiProcessor = limits::kThreadsPerMultiprocessor;
  device.maxBlocksPerMultiProcessor = limits::kBlocksPerMultiprocessor;
  std::ranges::transform(limits::kBlock, device.maxThreadsDim, limit);
  std::ranges::transform(limits::kGrid, device.maxGridSize, limit);
}

cudaDeviceProp properties() {
  cudaDeviceProp device{};
  kName.copy(device.name, sizeof device.name - 1);
  device.major = kMajor;
  device.minor = kMinor;
  fill_sizes(device);
  fill_shape(device);
  device.asyncEngineCount = kCopyEngines;
  device.concurrentKernels = 1;
  device.unifiedAddressing = 1;
  device.streamPrioritiesSupported = 1;
  device.cooperativeLaunch = 1;
  device.clusterLaunch = 1;
  device.memoryPoolsSupported = 1;
  return device;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return call([&] {
    if (count == nullptr) throw Refusal(cudaErrorInvalidValue);
    *count = 1;
  });
}

cudaError_t cudaSetDevice(int device) {
  return call([&] { require_device(device); });
}

cudaError_t cudaGetDevice(int* device) {
  return call([&] {
    if (device == nullptr) throw Refusal(cudaErrorInvalidValue);
    *device = 0;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* device_properties, int device) {
  return call([&] {
    require_device(device);
    if (device_properties == nullptr) throw Refusal(cudaErrorInvalidValue);
    *device_properties = properties();
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call([&] {
    require_device(device);
    if (value == nullptr) throw Refusal(cudaErrorInvalidValue);
    *value = value_of(attribute);
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return call([&] {
    if (version == nullptr) throw Refusal(cudaErrorInvalidValue);
    *version = kVersion;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaDeviceSynchronize() {
  return call([] { refuse_while_capturing(); });
}

// The sticky error stays, as on a GPU: only a new process gets rid of it.
cudaError_t cudaDeviceReset() {
  return release([] {
    refuse_while_capturing();
    context().free_all();
  });
}
