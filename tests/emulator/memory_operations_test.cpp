// SPDX-License-Identifier: Apache-2.0
// ld, st, cvta and mov of parts against the PTX ISA, sections 9.7.9.8 and on.
#include "tests/emulator/snippet.hpp"

namespace gk::emulator {
namespace {

using U32 = std::vector<std::uint32_t>;
using U64 = std::vector<std::uint64_t>;

// Shared memory of 1 KiB, one place of 16 bytes for each of up to 32 threads, its address in %r1.
const std::string kShared =
    ".shared .align 16 .b8 room[1024]; mov.u32 %r1, room; mad.lo.u32 %r1, %lane, 16, %r1;";

TEST(MemoryOperations, LoadsExtendByTheSignOfTheirType) {
  const U32 a{0x000080FF};
  EXPECT_EQ(
      run_snippet<std::uint32_t>(kShared + "st.shared.u32 [%r1], %a; ld.shared.s8 %o, [%r1];", a),
      U32{0xFFFFFFFF});
  EXPECT_EQ(
      run_snippet<std::uint32_t>(kShared + "st.shared.u32 [%r1], %a; ld.shared.u8 %o, [%r1];", a),
      U32{0xFF});
  EXPECT_EQ(
      run_snippet<std::uint32_t>(kShared + "st.shared.u32 [%r1], %a; ld.shared.s16 %o, [%r1];", a),
      U32{0xFFFF80FF});
  EXPECT_EQ(
      run_snippet<std::uint64_t>(kShared + "st.shared.u16 [%r1], %a; ld.shared.u16 %o, [%r1];", a),
      U64{0x80FF});
}

TEST(MemoryOperations, VectorsKeepTheirOrderAndSkipSinks) {
  const U32 a{1, 2, 3}, b{10, 20, 30};
  EXPECT_EQ(run_snippet<std::uint32_t>(
                kShared + "st.shared.v4.u32 [%r1], {%a, %b, 7, %a}; ld.shared.u32 %r2, [%r1+8];"
                          "ld.shared.v2.u32 {_, %r3}, [%r1]; add.u32 %o, %r2, %r3;",
                a, b),
            (U32{17, 27, 37}));
  EXPECT_EQ(run_snippet<std::uint32_t>(
                kShared + "st.shared.v2.u8 [%r1], {%a, 5}; ld.shared.u16 %o, [%r1];", a),
            (U32{0x501, 0x502, 0x503}));
}

TEST(MemoryOperations, NegativeDisplacementsWrapIn32Bits) {
  EXPECT_EQ(run_snippet<std::uint32_t>(kShared + "add.u32 %r2, %r1, 1024; st.shared.u32 [%r1], %a;"
                                                 "ld.shared.u32 %o, [%r2+-1024];",
                                       U32{3, 4}),
            (U32{3, 4}));
}

TEST(MemoryOperations, GenericAddressesReachSharedAndLocalMemory) {
  EXPECT_EQ(run_snippet<std::uint32_t>(kShared + "cvt.u64.u32 %w1, %r1; cvta.shared.u64 %w2, %w1;"
                                                 "st.u32 [%w2], %a; cvta.to.shared.u64 %w3, %w2;"
                                                 "ld.shared.u32 %o, [%w3];",
                                       U32{5, 6}),
            (U32{5, 6}));
  EXPECT_EQ(run_snippet<std::uint32_t>(
                ".local .align 4 .b8 mine[8]; mov.u64 %w1, mine; cvta.local.u64 %w2, %w1;"
                "st.u32 [%w2+4], %a; ld.local.u32 %o, [mine+4];",
                U32{5, 6}),
            (U32{5, 6}));
}

TEST(MemoryOperations, SpacesAreTold) {
  const std::string generic = kShared + "cvt.u64.u32 %w1, %r1; cvta.shared.u64 %w2, %w1;";
  const std::string result = "selp.u32 %o, 1, 0, %p1;";
  EXPECT_EQ(run_snippet<std::uint32_t>(generic + "isspacep.shared %p1, %w2;" + result, U32{0}),
            U32{1});
  EXPECT_EQ(run_snippet<std::uint32_t>(generic + "isspacep.global %p1, %w2;" + result, U32{0}),
            U32{0});
}

TEST(MemoryOperations, GuardedStoresLeaveTheRestAlone) {
  EXPECT_EQ(
      run_snippet<std::uint32_t>(kShared + "st.shared.u32 [%r1], %a; setp.eq.u32 %p1, %lane, 1;"
                                           "@%p1 st.shared.u32 [%r1], 99;"
                                           "ld.shared.u32 %o, [%r1];",
                                 U32{3, 4, 5}),
      (U32{3, 99, 5}));
}

TEST(MemoryOperations, PartsAreLowestFirst) {
  EXPECT_EQ(run_snippet<std::uint32_t>("mov.b32 {%h1, %h2}, %a; mov.b32 %o, {%h2, %h1};",
                                       U32{0x12345678}),
            U32{0x56781234});
  EXPECT_EQ(run_snippet<std::uint64_t>("mov.b64 {%r1, %r2}, %a; mov.b64 %o, {%r2, %r1};",
                                       U64{0x1234567890ABCDEF}),
            U64{0x90ABCDEF12345678});
  EXPECT_EQ(run_snippet<std::uint64_t>(
                "mov.b64 {%h1, _, _, %h2}, %a; mov.u16 %h3, 7; mov.b64 %o, {%h2, %h3, %h3, %h1};",
                U64{0x1234567890ABCDEF}),
            U64{0xCDEF000700071234});
}

TEST(MemoryOperations, AtomicsGiveTheOldValue) {
  const std::string prepare = kShared + "st.shared.u32 [%r1], 5;";
  const auto old_and_new = [&](const std::string& atomic) {
    return run_snippet<std::uint32_t>(prepare + atomic +
                                          "ld.shared.u32 %r3, [%r1];"
                                          "mad.lo.u32 %o, %r2, 100, %r3;",
                                      U32{3})
        .front();
  };
  EXPECT_EQ(old_and_new("atom.shared.add.u32 %r2, [%r1], %a;"), 508U);
  EXPECT_EQ(old_and_new("atom.shared.exch.b32 %r2, [%r1], %a;"), 503U);
  EXPECT_EQ(old_and_new("atom.shared.cas.b32 %r2, [%r1], 5, %a;"), 503U);
  EXPECT_EQ(old_and_new("atom.shared.cas.b32 %r2, [%r1], 4, %a;"), 505U);
  EXPECT_EQ(old_and_new("atom.shared.min.s32 %r2, [%r1], %a;"), 503U);
  EXPECT_EQ(old_and_new("atom.shared.max.u32 %r2, [%r1], %a;"), 505U);
  EXPECT_EQ(old_and_new("atom.shared.inc.u32 %r2, [%r1], %a;"), 500U) << "5 >= 3 wraps to 0";
  EXPECT_EQ(old_and_new("atom.shared.dec.u32 %r2, [%r1], %a;"), 503U) << "5 > 3 wraps to 3";
  EXPECT_EQ(old_and_new("atom.shared.and.b32 %r2, [%r1], %a;"), 501U);
  EXPECT_EQ(old_and_new("atom.shared.or.b32 %r2, [%r1], %a;"), 507U);
  EXPECT_EQ(old_and_new("atom.shared.xor.b32 %r2, [%r1], %a;"), 506U);
}

TEST(MemoryOperations, WhatIsNotKnownIsRefused) {
  for (const char* body : {"ld.global.v8.u32 %o, [%a];", "ld.mmio.global.u32 %o, [%a];",
                           "st.async.shared.b32 [%o], %a, [%a];", "ld.global.b128 %o, [%a];",
                           "cp.async.ca.shared.global [%o], [%a], 16;", "brx.idx %a, targets;"}) {
    EXPECT_TRUE(Snippet::is_refused(body, {32, 64})) << body;
  }
}

}  // namespace
}  // namespace gk::emulator
