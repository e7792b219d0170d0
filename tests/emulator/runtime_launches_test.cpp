// SPDX-License-Identifier: Apache-2.0
// What a launch refuses, and with which words.
#include "tests/emulator/program.hpp"

namespace gk::emulator {
namespace {

using EmulatedLaunches = EmulatedLaunchTest;

TEST_F(EmulatedLaunches, BlocksOverTheLimitsAreRefusedByName) {
  Program program(module_text("_Z5emptyv"));
  const void* const kernel = program.kernel("_Z5emptyv");
  EXPECT_EQ(launch(kernel, 1, 1025), cudaErrorInvalidConfiguration);
  EXPECT_EQ(said,
            "emulator: launch of empty(): a block of 1025 x 1 x 1 threads; a block has 1 to 1,024 "
            "in all, and at most 1024 x 1024 x 64\n");
  EXPECT_EQ(launch(kernel, 1, dim3(1, 1, 65)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(kernel, 1, dim3(0, 1, 1)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(kernel, 1, dim3(32, 32, 1)), cudaSuccess);
}

TEST_F(EmulatedLaunches, GridsOverTheLimitsAreRefused) {
  Program program(module_text("empty"));
  const void* const kernel = program.kernel("empty");
  EXPECT_EQ(launch(kernel, dim3(0, 1, 1), 32), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(kernel, dim3(1, 65536, 1), 32), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(kernel, dim3(1, 1, 65536), 32), cudaErrorInvalidConfiguration);
  EXPECT_TRUE(says("a grid of 1 x 1 x 65536 blocks"));
}

TEST_F(EmulatedLaunches, LaunchBoundsHold) {
  Program program(module_text("bounded", ".maxntid 128, 1, 1"));
  Program exact(module_text("exact", ".reqntid 128, 1, 1"));
  const void* const bounded = program.kernel("bounded");
  const void* const exactly = exact.kernel("exact");
  EXPECT_EQ(launch(bounded, 1, 129), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(bounded, 1, 64), cudaSuccess);
  EXPECT_EQ(launch(exactly, 1, 64), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(exactly, 1, 128), cudaSuccess);
}

TEST_F(EmulatedLaunches, MoreThan48KiBOfDynamicSharedMemoryMustBeAskedFor) {
  Program program(module_text("empty"));
  const void* const kernel = program.kernel("empty");
  EXPECT_EQ(launch(kernel, 1, 32, 48 << 10), cudaSuccess);
  EXPECT_EQ(launch(kernel, 1, 32, (48 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_TRUE(says("cudaFuncSetAttribute"));
  const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(cudaFuncSetAttribute(kernel, attribute, 227 << 10), cudaSuccess);
  EXPECT_EQ(launch(kernel, 1, 32, 227 << 10), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(kernel, attribute, (227 << 10) + 1), cudaErrorInvalidValue);
}

TEST_F(EmulatedLaunches, StaticSharedMemoryCountsAgainstTheBlock) {
  Program program(module_text("fixed", {}, ".shared .align 4 .b8 tile[40960];"));
  const void* const kernel = program.kernel("fixed");
  const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(cudaFuncSetAttribute(kernel, attribute, 187 << 10), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(kernel, attribute, (187 << 10) + 1), cudaErrorInvalidValue);
  cudaFuncAttributes attributes{};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, kernel), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 40960U);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 187 << 10);
}

TEST_F(EmulatedLaunches, WithoutTheAttributeStaticAndDynamicSharedMemoryShare48KiB) {
  Program program(module_text("fixed", {}, ".shared .align 4 .b8 tile[40960];"));
  const void* const kernel = program.kernel("fixed");
  cudaFuncAttributes attributes{};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, kernel), cudaSuccess);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 8 << 10);
  EXPECT_EQ(launch(kernel, 1, 32, 8 << 10), cudaSuccess);
  EXPECT_EQ(launch(kernel, 1, 32, (8 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(said,
            "emulator: launch of fixed: 8,193 bytes of dynamic shared memory and 40,960 of static; "
            "without cudaFuncSetAttribute a block has 49,152\n");
  EXPECT_EQ(launch(kernel, 1, 32, SIZE_MAX), cudaErrorInvalidValue);
  int blocks = -1;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32, (8 << 10) + 1),
            cudaSuccess);
  EXPECT_EQ(blocks, 0);
}

TEST_F(EmulatedLaunches, TheAttributeBoundsDynamicSharedMemoryAlone) {
  Program program(module_text("fixed", {}, ".shared .align 4 .b8 tile[40960];"));
  const void* const kernel = program.kernel("fixed");
  const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(cudaFuncSetAttribute(kernel, attribute, 187 << 10), cudaSuccess);
  EXPECT_EQ(launch(kernel, 1, 32, 187 << 10), cudaSuccess);
  EXPECT_EQ(launch(kernel, 1, 32, (187 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kernel, attribute, 4 << 10), cudaSuccess);
  EXPECT_EQ(launch(kernel, 1, 32, 4 << 10), cudaSuccess);
  EXPECT_EQ(launch(kernel, 1, 32, (4 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_TRUE(says("cudaFuncSetAttribute allows it 4,096 of dynamic"));
}

TEST_F(EmulatedLaunches, StaticSharedMemoryOver48KiBDoesNotLaunch) {
  Program program(module_text("fixed", {}, ".shared .align 4 .b8 tile[49153];"));
  EXPECT_EQ(launch(program.kernel("fixed"), 1, 32), cudaErrorInvalidValue);
}

TEST_F(EmulatedLaunches, ClustersAreCheckedAndNotYetRun) {
  Program program(module_text("empty"));
  const void* const kernel = program.kernel("empty");
  EXPECT_EQ(launch_cluster(kernel, 1, 4), cudaSuccess);
  EXPECT_EQ(launch_cluster(kernel, 2, 3), cudaErrorInvalidClusterSize);
  EXPECT_EQ(launch_cluster(kernel, 16, 16), cudaErrorInvalidClusterSize);
  EXPECT_EQ(launch_cluster(kernel, 2, 4), cudaErrorNotSupported);
  EXPECT_TRUE(says("clusters are not emulated yet"));
  EXPECT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            cudaSuccess);
  EXPECT_EQ(launch_cluster(kernel, 16, 16), cudaErrorNotSupported);
  EXPECT_EQ(launch_cluster(kernel, 32, 32), cudaErrorInvalidClusterSize);
}

TEST_F(EmulatedLaunches, CooperativeGridsMustBeResidentAtOnce) {
  Program program(module_text("empty"));
  const void* const kernel = program.kernel("empty");
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 1024, 0), cudaSuccess);
  EXPECT_EQ(blocks, 2);
  EXPECT_EQ(cudaLaunchCooperativeKernel(kernel, 2 * 132, 1024, nullptr, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernel(kernel, 2 * 132 + 1, 1024, nullptr, 0, nullptr),
            cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(EmulatedLaunches, OccupancyFollowsSharedMemoryThreadsAndBlocks) {
  Program program(module_text("empty"));
  const void* const kernel = program.kernel("empty");
  const auto occupancy = [&](int threads, std::size_t shared) {
    int blocks = -1;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared),
              cudaSuccess);
    return blocks;
  };
  EXPECT_EQ(occupancy(32, 0), 32);
  EXPECT_EQ(occupancy(33, 0), 32);
  EXPECT_EQ(occupancy(768, 0), 2);
  EXPECT_EQ(occupancy(32, 48 << 10), 4);
  EXPECT_EQ(occupancy(32, 49 << 10), 0);
}

}  // namespace
}  // namespace gk::emulator
