// SPDX-License-Identifier: Apache-2.0
// What the audit counts, on programs small enough to count by hand. A snippet loads what %o holds,
// and %a, before its body.
#include <gtest/gtest.h>

#include "emulator/audit.hpp"
#include "emulator/control.hpp"
#include "tests/emulator/snippet.hpp"

namespace gk::emulator {
namespace {

class AuditCounts : public testing::Test {
 protected:
  AuditCounts() {
    options().audit = true;
    reset_audit();
  }
  ~AuditCounts() override { options() = before_; }

  // A full warp stores to and loads from shared memory, `stride` bytes apart from lane to lane.
  static std::uint64_t conflicts(const std::string& type, int stride) {
    reset_audit();
    const bool is_pair = type.ends_with("64");
    run_snippet<std::uint32_t>(
        ".shared .align 16 .b8 room[8192]; mov.u32 %r1, room; mov.u64 %w1, 0;"
        "mad.lo.u32 %r1, %lane, " +
            std::to_string(stride) +
            ", %r1;"
            "st.shared." +
            type + " [%r1], " + (is_pair ? "%w1;" : "%a;") + " mov.u32 %o, 0;",
        std::vector<std::uint32_t>(32, 1));
    return audited().bank_conflicts;
  }

 private:
  Options before_ = options();
};

TEST_F(AuditCounts, BankConflictsFollowTheStride) {
  options().races = false;  // strides of less than a word write over each other
  EXPECT_EQ(conflicts("u32", 4), 0U);
  EXPECT_EQ(conflicts("u32", 8), 1U);
  EXPECT_EQ(conflicts("u32", 16), 3U);
  EXPECT_EQ(conflicts("u32", 128), 31U);
  EXPECT_EQ(conflicts("u32", 132), 0U) << "a column of padding";
  EXPECT_EQ(conflicts("u32", 0), 0U) << "one word for all";
  EXPECT_EQ(conflicts("u64", 8), 0U) << "two halves of the warp";
  EXPECT_EQ(conflicts("u64", 16), 2U) << "each half on every other pair of banks";
}

TEST_F(AuditCounts, SectorsOfAFullWarp) {
  run_snippet<std::uint32_t>("mov.u32 %o, %a;", std::vector<std::uint32_t>(32, 7));
  EXPECT_EQ(audited().load_requests, 2U);
  EXPECT_EQ(audited().load_sectors, 8U);
  EXPECT_EQ(audited().least_load_sectors, 8U);
  EXPECT_EQ(audited().store_requests, 1U);
  EXPECT_EQ(audited().store_sectors, 4U);
  EXPECT_EQ(audited().traffic.first_reads, 8U);
  EXPECT_EQ(audited().traffic.repeated_reads, 0U);
  EXPECT_EQ(audited().traffic.first_writes, 4U);
}

TEST_F(AuditCounts, ReadingAgainIsARepeatedReadAndNotDram) {
  run_snippet<std::uint32_t>("ld.global.u32 %r1, [%at_a]; add.u32 %o, %r1, %a;",
                             std::vector<std::uint32_t>(32, 7));
  EXPECT_EQ(audited().traffic.first_reads, 8U);
  EXPECT_EQ(audited().traffic.repeated_reads, 4U);
}

TEST_F(AuditCounts, BytesInFlightAreThoseLoadedBeforeTheFirstIsUsed) {
  run_snippet<std::uint32_t>(
      "ld.global.u32 %r1, [%at_a]; ld.global.u32 %r2, [%at_a]; add.u32 %o, %r1, %r2;"
      "ld.global.u32 %r1, [%at_a]; add.u32 %o, %o, %r1;",
      std::vector<std::uint32_t>(32, 7));
  EXPECT_EQ(audited().bytes_in_flight_per_thread, 16U) << "%o, %a, %r1 and %r2";
}

TEST_F(AuditCounts, InstructionsByClass) {
  run_snippet<float>("fma.rn.f32 %o, %a, %a, %a; ex2.approx.f32 %o, %o;",
                     std::vector<float>(32, 0.5F));
  EXPECT_EQ(audited().of(Class::kMultiplyAdd), 32U);
  EXPECT_EQ(audited().of(Class::kSpecial), 32U);
}

}  // namespace
}  // namespace gk::emulator
