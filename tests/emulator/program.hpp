// SPDX-License-Identifier: Apache-2.0
// A program as nvcc would have built and registered it, made by hand, so that the runtime is tested
// where there is no nvcc.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "emulator/control.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier): nvcc's own names.
extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* stub, char* device_stub, const char* name,
                            int thread_limit, uint3* tid, uint3* bid, dim3* block, dim3* grid,
                            int* warp_size);
void __cudaRegisterVar(void** handle, char* variable, char* device_address, const char* name,
                       int external, std::size_t bytes, int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace gk::emulator {

// The text of a module with one empty kernel; `directives` go before its body, `body` into it.
inline std::string module_text(const std::string& kernel, const std::string& directives = {},
                               const std::string& body = {}) {
  return ".version 9.0\n.target sm_90a\n.address_size 64\n"
         ".visible .entry " +
         kernel + "()\n" + directives + "\n{\n" + body + "\n\tret;\n}\n";
}

class Program {
 public:
  struct Entry {
    std::uint16_t kind;  // 1 PTX, 2 machine code
    std::uint32_t arch;
    std::string payload;
  };

  explicit Program(const std::vector<Entry>& entries, std::uint32_t magic = 0xBA55ED50) {
    bytes_.resize(kContainerHeader);
    for (const Entry& entry : entries) add(entry);
    put<std::uint32_t>(0, magic);
    put<std::uint16_t>(4, 1);
    put<std::uint16_t>(6, kContainerHeader);
    put<std::uint64_t>(8, bytes_.size() - kContainerHeader);
    wrapper_ = {.magic = 0x466243B1, .version = 1, .container = bytes_.data(), .unused = nullptr};
    handle_ = __cudaRegisterFatBinary(&wrapper_);
    __cudaRegisterFatBinaryEnd(handle_);
  }
  explicit Program(const std::string& ptx) : Program(std::vector<Entry>{{1, 90, ptx}}) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { __cudaUnregisterFatBinary(handle_); }

  // What stands for the address of a kernel's host stub.
  const void* kernel(const char* name) {
    const char* const stub = &stubs_.at(used_++);
    __cudaRegisterFunction(handle_, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
    return stub;
  }

  const void* variable(const char* name, std::size_t bytes) {
    char* const shadow = &stubs_.at(used_++);
    __cudaRegisterVar(handle_, shadow, nullptr, name, 0, bytes, 0, 0);
    return shadow;
  }

 private:
  static constexpr std::uint16_t kContainerHeader = 16;
  static constexpr std::uint32_t kEntryHeader = 0x50;

  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  void add(const Entry& entry) {
    const std::size_t at = bytes_.size();
    const std::size_t padded = (entry.payload.size() + 8) / 8 * 8;
    bytes_.resize(at + kEntryHeader + padded);
    put<std::uint16_t>(at, entry.kind);
    put<std::uint16_t>(at + 2, 0x0101);
    put<std::uint32_t>(at + 4, kEntryHeader);
    put<std::uint64_t>(at + 8, padded);
    put<std::uint32_t>(at + 0x1C, entry.arch);
    put<std::uint64_t>(at + 0x28, 0x11);
    std::memcpy(bytes_.data() + at + kEntryHeader, entry.payload.data(), entry.payload.size());
  }

  struct Wrapper {
    std::int32_t magic, version;
    const void* container;
    void* unused;
  };
  std::vector<char> bytes_;
  Wrapper wrapper_{};
  void** handle_ = nullptr;
  std::array<char, 16> stubs_{};
  std::size_t used_ = 0;
};

// Every test begins with a new context, and leaves none of its settings behind.
class EmulatedTest : public testing::Test {
 protected:
  EmulatedTest() : before_(options()) { reset(); }
  ~EmulatedTest() override {
    reset();
    options() = before_;
    set_launch_nanoseconds(0);
  }

 private:
  Options before_;
};

// Launches, and what they say on stderr.
class EmulatedLaunchTest : public EmulatedTest {
 protected:
  cudaError_t launch(const void* kernel, dim3 grid, dim3 block, std::size_t shared = 0) {
    testing::internal::CaptureStderr();
    const cudaError_t error = cudaLaunchKernel(kernel, grid, block, nullptr, shared, nullptr);
    said = testing::internal::GetCapturedStderr();
    return error;
  }
  cudaError_t launch_cluster(const void* kernel, unsigned blocks, unsigned grid) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {blocks, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    testing::internal::CaptureStderr();
    const cudaError_t error = cudaLaunchKernelExC(&config, kernel, nullptr);
    said = testing::internal::GetCapturedStderr();
    return error;
  }
  bool says(const std::string& text) const { return said.find(text) != std::string::npos; }
  std::string said;
};

}  // namespace gk::emulator
