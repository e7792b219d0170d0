// SPDX-License-Identifier: Apache-2.0
// From a registered fat binary to a kernel that runs.
#include <filesystem>
#include <fstream>

#include "emulator/memory/device_memory.hpp"
#include "tests/emulator/environment.hpp"
#include "tests/emulator/program.hpp"

namespace gk::emulator {
namespace {

namespace fs = std::filesystem;

using EmulatedModules = EmulatedLaunchTest;

TEST_F(EmulatedModules, LaunchesFollowNvccsOrderOfCalls) {
  Program program(module_text("empty"));
  const void* const stub = program.kernel("empty");
  const std::uint64_t before = executed().launches;
  EXPECT_EQ(__cudaPushCallConfiguration(2, 32, 16, nullptr), 0U);
  cudaKernel_t kernel = nullptr;
  EXPECT_EQ(__cudaGetKernel(&kernel, stub), cudaSuccess);
  dim3 grid;
  dim3 block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(grid.x, 2U);
  EXPECT_EQ(shared, 16U);
  EXPECT_EQ(__cudaLaunchKernel(kernel, grid, block, nullptr, shared, stream), cudaSuccess);
  EXPECT_EQ(executed().launches, before + 1);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
            cudaErrorMissingConfiguration);
}

TEST_F(EmulatedModules, EqualNamesOfTwoFilesStayApart) {
  Program first(module_text("same", ".maxntid 32, 1, 1"));
  Program second(module_text("same", ".maxntid 64, 1, 1"));
  const void* const narrow = first.kernel("same");
  const void* const wide = second.kernel("same");
  EXPECT_EQ(launch(narrow, 1, 64), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(wide, 1, 64), cudaSuccess);
}

TEST_F(EmulatedModules, WithoutPtxThereIsNoKernelImage) {
  Program program(std::vector<Program::Entry>{{2, 90, "ELF"}});
  EXPECT_EQ(launch(program.kernel("_Z5emptyv"), 1, 32), cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(said, "emulator: the fat binary of empty() has no PTX, only machine code for sm_90\n");
}

TEST_F(EmulatedModules, TheArchThatATestWantsMustBeThere) {
  Program program(
      std::vector<Program::Entry>{{1, 80, module_text("old")}, {1, 90, module_text("fresh")}});
  const void* const old = program.kernel("old");
  const void* const fresh = program.kernel("fresh");
  EXPECT_EQ(launch(fresh, 1, 32), cudaSuccess);
  EXPECT_EQ(launch(old, 1, 32), cudaErrorInvalidDeviceFunction);
  options().arch = 80;
  EXPECT_EQ(launch(old, 1, 32), cudaSuccess);
  options().arch = 75;
  EXPECT_EQ(launch(old, 1, 32), cudaErrorNoKernelImageForDevice);
  EXPECT_TRUE(says("no PTX for compute_75, only PTX for compute_80, PTX for compute_90"));
}

TEST_F(EmulatedModules, CorruptModulesAreInvalidPtx) {
  Program damaged({{1, 90, module_text("empty")}}, 0xDEADBEEF);
  EXPECT_EQ(launch(damaged.kernel("empty"), 1, 32), cudaErrorInvalidPtx);
  EXPECT_TRUE(said.starts_with("emulator: "));
  Program nonsense(".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry empty(\n");
  EXPECT_EQ(launch(nonsense.kernel("empty"), 1, 32), cudaErrorInvalidPtx);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(EmulatedModules, UnknownOpcodesAreNamed) {
  Program program(module_text("odd", {}, "\tfrobnicate.sync;"));
  EXPECT_EQ(launch(program.kernel("odd"), 1, 32), cudaErrorInvalidPtx);
  EXPECT_TRUE(says("frobnicate"));
  ASSERT_TRUE(last_fault().has_value());
  EXPECT_EQ(last_fault()->kind, FaultKind::kUnsupported);
}

TEST_F(EmulatedModules, ExternVariablesWithoutADefinitionAreNamed) {
  const std::string kernel = module_text("empty");
  Program lacking(kernel + ".extern .global .align 4 .u32 elsewhere;\n");
  const std::uint64_t before = DeviceMemory::instance().live_bytes();
  EXPECT_EQ(launch(lacking.kernel("empty"), 1, 32), cudaErrorInvalidPtx);
  EXPECT_EQ(said,
            "emulator: the variable elsewhere is .extern and has no definition in its module\n");
  EXPECT_EQ(DeviceMemory::instance().live_bytes(), before);
  Program defined(kernel +
                  ".extern .global .align 4 .u32 here;\n.global .align 4 .u32 here = 7;\n");
  EXPECT_EQ(launch(defined.kernel("empty"), 1, 32), cudaSuccess);
  Program dynamic(kernel + ".extern .shared .align 16 .b8 tile[];\n");
  EXPECT_EQ(launch(dynamic.kernel("empty"), 1, 32, 64), cudaSuccess);
}

TEST_F(EmulatedModules, VariablesEndWithTheirProgram) {
  const std::uint64_t before = DeviceMemory::instance().live_bytes();
  void* address = nullptr;
  {
    Program program(module_text("empty") + ".visible .global .align 4 .b8 value[400];\n");
    EXPECT_EQ(cudaGetSymbolAddress(&address, program.variable("value", 400)), cudaSuccess);
    EXPECT_EQ(DeviceMemory::instance().live_bytes(), before + 400);
    EXPECT_EQ(cudaMemset(address, 0, 400), cudaSuccess);
  }
  EXPECT_EQ(DeviceMemory::instance().live_bytes(), before);
  EXPECT_EQ(cudaMemset(address, 0, 400), cudaErrorInvalidValue);
}

TEST_F(EmulatedModules, VariablesOfAModuleThatCannotBeLoadedAreGivenBack) {
  const std::uint64_t before = DeviceMemory::instance().live_bytes();
  Program program(module_text("empty") + ".global .align 8 .u64 to = nowhere;\n");
  EXPECT_EQ(launch(program.kernel("empty"), 1, 32), cudaErrorInvalidPtx);
  EXPECT_TRUE(says("nowhere"));
  EXPECT_EQ(DeviceMemory::instance().live_bytes(), before);
}

TEST_F(EmulatedModules, UnregisteredFunctionsAreRefused) {
  EXPECT_EQ(launch(&said, 1, 32), cudaErrorInvalidDeviceFunction);
  const void* kernel = nullptr;
  {
    Program program(module_text("empty"));
    kernel = program.kernel("empty");
  }
  EXPECT_EQ(launch(kernel, 1, 32), cudaErrorInvalidDeviceFunction);
}

TEST_F(EmulatedModules, ModulesAreDumpedAndReplacedByTheirHash) {
  const fs::path folder = fs::path(testing::TempDir()) / "gk_emulator_ptx";
  fs::remove_all(folder);
  fs::create_directory(folder);
  {
    const EnvironmentVariable dump("GK_EMULATOR_DUMP_PTX", folder.string());
    Program program(module_text("empty"));
    EXPECT_EQ(launch(program.kernel("empty"), 1, 64), cudaSuccess);
  }
  const std::vector<fs::path> dumped{fs::directory_iterator(folder), {}};
  ASSERT_EQ(dumped.size(), 1U);
  EXPECT_EQ(dumped[0].stem().string().size(), 16U);
  std::ofstream(dumped[0]) << module_text("empty", ".maxntid 32, 1, 1");
  const EnvironmentVariable replace("GK_EMULATOR_PTX", folder.string());
  Program program(module_text("empty"));
  EXPECT_EQ(launch(program.kernel("empty"), 1, 64), cudaErrorInvalidConfiguration);
  fs::remove_all(folder);
}

TEST_F(EmulatedModules, AFolderThatCannotBeReadStopsTheLaunch) {
  Program program(module_text("empty"));
  const void* const kernel = program.kernel("empty");
  const EnvironmentVariable replace("GK_EMULATOR_PTX", "/nowhere");
  EXPECT_EQ(launch(kernel, 1, 32), cudaErrorInvalidPtx);
  EXPECT_TRUE(says("GK_EMULATOR_PTX: cannot read the folder /nowhere"));
}

}  // namespace
}  // namespace gk::emulator
