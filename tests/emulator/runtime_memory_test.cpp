// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>
#include <numeric>

#include "emulator/memory/device_memory.hpp"
#include "tests/emulator/program.hpp"

namespace gk::emulator {
namespace {

using EmulatedMemory = EmulatedTest;

int* device_ints(std::size_t count) {
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, count * sizeof(int)), cudaSuccess);
  return static_cast<int*>(pointer);
}

TEST_F(EmulatedMemory, BytesSurviveTheWayThroughTheDevice) {
  std::vector<int> sent(1000);
  std::iota(sent.begin(), sent.end(), 1);
  int* const first = device_ints(sent.size());
  int* const second = device_ints(sent.size());
  const std::size_t bytes = sent.size() * sizeof(int);
  EXPECT_EQ(cudaMemcpy(first, sent.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(second, first, bytes, cudaMemcpyDeviceToDevice), cudaSuccess);
  std::vector<int> received(sent.size());
  EXPECT_EQ(cudaMemcpy(received.data(), second, bytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(received, sent);
}

TEST_F(EmulatedMemory, MemsetFillsBytes) {
  int* const device = device_ints(2);
  EXPECT_EQ(cudaMemset(device, 0x01, 8), cudaSuccess);
  int host = 0;
  EXPECT_EQ(cudaMemcpy(&host, device + 1, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host, 0x01010101);
}

TEST_F(EmulatedMemory, ReadingWhatNobodyWroteIsAStickyFault) {
  int* const device = device_ints(2);
  EXPECT_EQ(cudaMemset(device, 0, 4), cudaSuccess);
  std::array<int, 2> host{};
  EXPECT_EQ(cudaMemcpy(host.data(), device, 8, cudaMemcpyDeviceToHost), cudaErrorLaunchFailure);
  ASSERT_TRUE(last_fault().has_value());
  EXPECT_EQ(last_fault()->kind, FaultKind::kUninitialised);
  EXPECT_STREQ(last_fault()->what(),
               "uninitialised read: cudaMemcpy of 8 bytes to the host, of which byte 4 was never "
               "written");
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

TEST_F(EmulatedMemory, DeviceCopiesCarryTheMarksOfTheirSource) {
  int* const from = device_ints(2);
  int* const to = device_ints(2);
  EXPECT_EQ(cudaMemset(from, 0, 4), cudaSuccess);
  EXPECT_EQ(cudaMemset(to, 0, 8), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(to, from, 8, cudaMemcpyDeviceToDevice), cudaSuccess);
  int host = 0;
  EXPECT_EQ(cudaMemcpy(&host, to, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(&host, to + 1, 4, cudaMemcpyDeviceToHost), cudaErrorLaunchFailure);
}

TEST_F(EmulatedMemory, UnwrittenReadsPassWhereTheCheckIsOff) {
  options().uninitialised = false;
  int* const device = device_ints(1);
  int host = 1;
  EXPECT_EQ(cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost), cudaSuccess);
}

TEST_F(EmulatedMemory, CopiesOutsideAnAllocationAreRefusedWithAReason) {
  int* const device = device_ints(1000);
  std::vector<int> host(1001);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMemcpy(device, host.data(), 4004, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "4 bytes past the end of a 4,000-byte allocation"),
            std::string::npos);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaMemset(device, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(EmulatedMemory, TheDirectionOfACopyMustFitItsPointers) {
  int* const device = device_ints(1);
  int host = 0;
  EXPECT_EQ(cudaMemcpy(&host, device, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, &host, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, nullptr, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, &host, 4, static_cast<cudaMemcpyKind>(7)),
            cudaErrorInvalidMemcpyDirection);
}

TEST_F(EmulatedMemory, FreeTakesWhatMallocGaveAndNothingElse) {
  int* const device = device_ints(4);
  int host = 0;
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFree(device + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(&host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
}

TEST_F(EmulatedMemory, NoBytesAreANullPointer) {
  void* pointer = &pointer;
  EXPECT_EQ(cudaMalloc(&pointer, 0), cudaSuccess);
  EXPECT_EQ(pointer, nullptr);
}

TEST_F(EmulatedMemory, TheDeviceRunsOutOfMemory) {
  options().memory_bytes = 1 << 20;
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, (1 << 20) + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&pointer, 1 << 19), cudaSuccess);
  std::size_t free = 0;
  std::size_t total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(total, std::size_t{1} << 20);
  EXPECT_LE(free, std::size_t{1} << 19);  // less where variables are loaded
}

TEST_F(EmulatedMemory, PinnedMemoryIsTheHostsOwn) {
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 100), cudaSuccess);
  *static_cast<int*>(pinned) = 5;
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, static_cast<char*>(pinned) + 99), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostAlloc(&pinned, 100, cudaHostAllocMapped), cudaErrorNotSupported);
}

TEST_F(EmulatedMemory, PointerAttributesTellTheSides) {
  int* const device = device_ints(1);
  int host = 0;
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, device), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.devicePointer, device);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, &host), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

TEST_F(EmulatedMemory, VariablesAreFoundByTheirHostShadow) {
  Program program(
      ".version 9.0\n.target sm_90a\n.address_size 64\n"
      ".visible .global .align 4 .b8 table[16];\n" +
      module_text("unused").substr(module_text("unused").find(".visible")));
  const void* const symbol = program.variable("table", 16);
  const std::array<int, 4> sent{1, 2, 3, 4};
  std::array<int, 2> received{};
  EXPECT_EQ(cudaMemcpyToSymbol(symbol, sent.data(), 16, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromSymbol(received.data(), symbol, 8, 8, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(received, (std::array<int, 2>{3, 4}));
  EXPECT_EQ(cudaMemcpyToSymbol(symbol, sent.data(), 16, 4, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&sent, sent.data(), 16, 0, cudaMemcpyHostToDevice),
            cudaErrorInvalidSymbol);
  std::size_t bytes = 0;
  EXPECT_EQ(cudaGetSymbolSize(&bytes, symbol), cudaSuccess);
  EXPECT_EQ(bytes, 16U);
}

using EmulatedMemoryDeathTest = EmulatedTest;

TEST_F(EmulatedMemoryDeathTest, TheHostCannotDereferenceADevicePointer) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        volatile int* const device = device_ints(1);
        *device = 1;
      },
      testing::KilledBySignal(SIGSEGV), "emulator: the host dereferenced a device pointer \\(0x");
}

TEST_F(EmulatedMemoryDeathTest, OtherFaultsOfTheHostAreNotOurs) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        signal(SIGSEGV, [](int) { std::_Exit(7); });
        device_ints(1);
        raise(SIGSEGV);
      },
      testing::ExitedWithCode(7), "^$");
}

TEST_F(EmulatedMemoryDeathTest, LeaksAtExitAreNamedAndFatal) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        device_ints(25);
        cudaStream_t stream = nullptr;
        cudaStreamCreate(&stream);
        std::exit(0);
      },
      testing::ExitedWithCode(1),
      "emulator: 2 leaked: 100 bytes of device memory at 0x[0-9a-f]+\nemulator: 2 leaked: 1 "
      "stream");
}

TEST_F(EmulatedMemoryDeathTest, WhatIsFreedAfterAFaultDoesNotLeak) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        int* const device = device_ints(1);
        int host = 0;
        cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost);
        cudaFree(device);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "uninitialised");
}

}  // namespace
}  // namespace gk::emulator
