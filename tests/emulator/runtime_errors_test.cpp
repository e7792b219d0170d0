// SPDX-License-Identifier: Apache-2.0
// What programs see of faults, of the device and of its options.
#include <cstdlib>

#include "tests/emulator/environment.hpp"
#include "tests/emulator/program.hpp"

namespace gk::emulator {
namespace {

using EmulatedErrors = EmulatedTest;

TEST_F(EmulatedErrors, FaultsStickUntilTheContextIsRenewed) {
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  int host = 0;
  EXPECT_EQ(cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaMalloc(&device, 4), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  const char* const text = cudaGetErrorString(cudaErrorLaunchFailure);
  EXPECT_STREQ(text, last_fault()->what());
  EXPECT_STREQ(cudaGetErrorName(cudaErrorLaunchFailure), "cudaErrorLaunchFailure");
  reset();
  EXPECT_FALSE(last_fault().has_value());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  EXPECT_TRUE(std::string(text).starts_with("uninitialised read"));  // kept for its holder
  EXPECT_STREQ(cudaGetErrorString(cudaErrorLaunchFailure), "unspecified launch failure");
}

TEST_F(EmulatedErrors, FaultsNameTheirPlace) {
  const Fault fault(FaultKind::kOutOfBounds,
                    "out-of-bounds store: 4 bytes past the end of a 4,000-byte allocation",
                    {.kernel = "_Z3oobPfi",
                     .block = {7, 0, 0},
                     .thread = {104, 0, 0},
                     .ptx_line = 31,
                     .opcode = "st.global.f32",
                     .source = "bad.cu:4"});
  EXPECT_STREQ(fault.what(),
               "out-of-bounds store: 4 bytes past the end of a 4,000-byte allocation, in kernel "
               "oob(float*, int), block (7,0,0), thread (104,0,0), bad.cu:4 (PTX line 31: "
               "st.global.f32)");
}

TEST_F(EmulatedErrors, TheDeviceHasAnH100sLimits) {
  cudaDeviceProp device{};
  EXPECT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
  EXPECT_STREQ(device.name, "emulated sm_90");
  EXPECT_EQ(device.multiProcessorCount, 132);
  EXPECT_EQ(device.sharedMemPerBlockOptin, 227U << 10);
  options().l2_bytes = 1 << 20;
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrL2CacheSize, 0), cudaSuccess);
  EXPECT_EQ(value, 1 << 20);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  EXPECT_EQ(value, 9);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
}

TEST_F(EmulatedErrors, DriverFunctionsAreNotFoundYet) {
  void* function = &function;
  cudaDriverEntryPointQueryResult result{};
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                             cudaEnableDefault, &result),
            cudaSuccess);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(result, cudaDriverEntryPointSymbolNotFound);
}

// In a process of its own: the environment is read once.
TEST(EmulatedOptionsDeathTest, TheOrderComesFromTheEnvironment) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const EnvironmentVariable order("GK_EMULATOR_ORDER", "random:7");
  const auto as_wanted = [] { return options().order == Order::kRandom && options().seed == 7; };
  EXPECT_EXIT(std::_Exit(as_wanted() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(EmulatedOptionsDeathTest, ABadOrderEndsTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const char* const text : {"", "backwards", "forwards", "random7", "random:", "random:7x",
                                 "random:7 ", "random:-1", "random:18446744073709551616"}) {
    const EnvironmentVariable order("GK_EMULATOR_ORDER", text);
    EXPECT_EXIT(
        options(), testing::ExitedWithCode(2),
        "^emulator: GK_EMULATOR_ORDER is \"[^\n]*\", not forward, reverse or random[^\n]*\n$");
  }
}

TEST(EmulatedOptionsDeathTest, TheInstructionLimitComesFromTheEnvironment) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const EnvironmentVariable limit("GK_EMULATOR_LIMIT", "18446744073709551615");
  const auto as_wanted = [] { return options().instruction_limit == ~std::uint64_t{0}; };
  EXPECT_EXIT(std::_Exit(as_wanted() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(EmulatedOptionsDeathTest, ABadInstructionLimitEndsTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const char* const text :
       {"", "0", "-1", "+1", " 1", "1e9", "0x10", "many", "18446744073709551616"}) {
    const EnvironmentVariable limit("GK_EMULATOR_LIMIT", text);
    EXPECT_EXIT(options(), testing::ExitedWithCode(2),
                "^emulator: GK_EMULATOR_LIMIT is \"[^\n]*\", not a number of warp instructions "
                "from 1 to [^\n]*\n$");
  }
}

}  // namespace
}  // namespace gk::emulator
