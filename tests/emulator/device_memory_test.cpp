// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/device_memory.hpp"

#include <gtest/gtest.h>

namespace gk::emulator {
namespace {

constexpr std::uint64_t kLimit = DeviceMemory::kReserved;

class DeviceMemoryTest : public testing::Test {
 protected:
  DeviceMemoryTest() { memory.reset(); }
  ~DeviceMemoryTest() override { memory.reset(); }
  std::uint64_t allocate(std::uint64_t bytes) {
    return memory.allocate(bytes, Owner::kProgram, kLimit);
  }
  DeviceMemory& memory = DeviceMemory::instance();
};

TEST_F(DeviceMemoryTest, AllocationsAreAlignedAndKeepARedZoneApart) {
  const std::uint64_t first = allocate(1);
  const std::uint64_t second = allocate(256);
  const std::uint64_t third = allocate(4);
  for (const std::uint64_t address : {first, second, third}) EXPECT_EQ(address % 256, 0U);
  EXPECT_GE(second - (first + 1), 256U);
  EXPECT_GE(third - (second + 256), 256U);
}

TEST_F(DeviceMemoryTest, OnlyBytesOfLiveAllocationsAreLive) {
  const std::uint64_t address = allocate(100);
  EXPECT_TRUE(memory.is_live(address, 100));
  EXPECT_TRUE(memory.is_live(address + 96, 4));
  EXPECT_FALSE(memory.is_live(address + 97, 4));
  EXPECT_FALSE(memory.is_live(address - 1, 1));
  EXPECT_FALSE(memory.is_live(address + 100, 1));
  EXPECT_TRUE(memory.free(address));
  EXPECT_FALSE(memory.is_live(address, 1));
}

TEST_F(DeviceMemoryTest, FreedAddressesAreNotGivenOutAgain) {
  const std::uint64_t first = allocate(1000);
  ASSERT_TRUE(memory.free(first));
  EXPECT_NE(allocate(1000), first);
}

TEST_F(DeviceMemoryTest, TheLimitCountsLiveBytesOnly) {
  const std::uint64_t address = memory.allocate(1000, Owner::kProgram, 1500);
  ASSERT_NE(address, 0U);
  EXPECT_EQ(memory.allocate(501, Owner::kProgram, 1500), 0U);
  ASSERT_TRUE(memory.free(address));
  EXPECT_NE(memory.allocate(501, Owner::kProgram, 1500), 0U);
}

TEST_F(DeviceMemoryTest, AddressesRunOutWhenTheyAreNeverReused) {
  const std::uint64_t quarter = DeviceMemory::kReserved / 4;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t address = allocate(quarter);
    ASSERT_NE(address, 0U);
    ASSERT_TRUE(memory.free(address));
  }
  EXPECT_EQ(allocate(quarter), 0U);
  memory.reset();
  EXPECT_NE(allocate(quarter), 0U);
}

TEST_F(DeviceMemoryTest, OnlyTheStartOfALiveAllocationCanBeFreed) {
  const std::uint64_t address = allocate(1000);
  EXPECT_FALSE(memory.free(address + 256));
  EXPECT_FALSE(memory.free(0));
  EXPECT_TRUE(memory.free(address));
  EXPECT_FALSE(memory.free(address));
}

TEST_F(DeviceMemoryTest, AllocationsAreUnwrittenUntilMarkedAndAgainAfterAReset) {
  const std::uint64_t address = allocate(8);
  EXPECT_EQ(*memory.written(address), 0);
  memory.mark_written(address, 4);
  EXPECT_EQ(*memory.written(address + 3), 1);
  EXPECT_EQ(*memory.written(address + 4), 0);
  memory.reset();
  ASSERT_EQ(allocate(8), address);
  EXPECT_EQ(*memory.written(address), 0);
}

TEST_F(DeviceMemoryTest, ResetLeavesVariablesAlone) {
  const std::uint64_t before = memory.live_bytes();
  const std::uint64_t variable = memory.allocate(8, Owner::kVariable, kLimit);
  *memory.host(variable) = std::byte{7};
  const std::uint64_t address = allocate(8);
  memory.reset();
  EXPECT_FALSE(memory.is_live(address, 1));
  EXPECT_TRUE(memory.is_live(variable, 8));
  EXPECT_EQ(*memory.host(variable), std::byte{7});
  EXPECT_EQ(memory.live_bytes(), before + 8);
  EXPECT_TRUE(memory.free(variable));
}

TEST_F(DeviceMemoryTest, ExplainsWhatIsWrongWithAnAddress) {
  const std::uint64_t address = allocate(4000);
  EXPECT_EQ(memory.explain(address + 4000, 4), "4 bytes past the end of a 4,000-byte allocation");
  EXPECT_EQ(memory.explain(address + 3998, 4), "2 bytes past the end of a 4,000-byte allocation");
  EXPECT_EQ(memory.explain(address - 8, 4), "8 bytes before the start of a 4,000-byte allocation");
  EXPECT_EQ(memory.explain(0, 4), "a null pointer");
  EXPECT_NE(memory.explain(reinterpret_cast<std::uint64_t>(&memory), 4).find("not device memory"),
            std::string::npos);
  ASSERT_TRUE(memory.free(address));
  EXPECT_EQ(memory.explain(address + 16, 4),
            "freed memory: byte 16 of a 4,000-byte allocation that was freed");
}

TEST_F(DeviceMemoryTest, LeaksNamesWhatProgramsOwn) {
  EXPECT_EQ(memory.leaks(), "");
  const std::uint64_t variable = memory.allocate(8, Owner::kVariable, kLimit);
  EXPECT_EQ(memory.leaks(), "");
  allocate(1);
  EXPECT_NE(memory.leaks().find("1 byte of device memory at 0x"), std::string::npos);
  EXPECT_TRUE(memory.free(variable));
}

}  // namespace
}  // namespace gk::emulator
