// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic against the PTX ISA, section 9.7.1.
#include <limits>

#include "tests/emulator/snippet.hpp"

namespace gk::emulator {
namespace {

using I16 = std::vector<std::int16_t>;
using I32 = std::vector<std::int32_t>;
using U16 = std::vector<std::uint16_t>;
using U32 = std::vector<std::uint32_t>;
using I64 = std::vector<std::int64_t>;
using U64 = std::vector<std::uint64_t>;
constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();

TEST(AluInteger, SumsWrapOrSaturate) {
  const I32 a{kMost, kLeast, 5, -7}, b{1, -1, -6, 3};
  EXPECT_EQ(run_snippet<std::int32_t>("add.s32 %o, %a, %b;", a, b), (I32{kLeast, kMost, -1, -4}));
  EXPECT_EQ(run_snippet<std::int32_t>("add.sat.s32 %o, %a, %b;", a, b),
            (I32{kMost, kLeast, -1, -4}));
  EXPECT_EQ(run_snippet<std::int32_t>("sub.sat.s32 %o, %b, %a;", a, b),
            (I32{-2147483646, 2147483647, -11, 10}));
  EXPECT_EQ(run_snippet<std::uint16_t>("sub.u16 %o, %a, 1;", U16{0, 1}), (U16{65535, 0}));
  EXPECT_EQ(run_snippet<std::int64_t>("add.s64 %o, %a, -1;", I64{0, 1LL << 40}),
            (I64{-1, (1LL << 40) - 1}));
}

TEST(AluInteger, ProductsGiveLowHighOrBoth) {
  const I32 a{-3, kLeast, 1 << 20}, b{5, kLeast, 1 << 20};
  EXPECT_EQ(run_snippet<std::int32_t>("mul.lo.s32 %o, %a, %b;", a, b), (I32{-15, 0, 0}));
  EXPECT_EQ(run_snippet<std::int32_t>("mul.hi.s32 %o, %a, %b;", a, b), (I32{-1, 1 << 30, 256}));
  EXPECT_EQ(run_snippet<std::int64_t>("mul.wide.s32 %o, %a, %b;", a, b),
            (I64{-15, 1LL << 62, 1LL << 40}));
  EXPECT_EQ(run_snippet<std::uint64_t>("mul.wide.u32 %o, %a, %b;", U32{~0U}, U32{~0U}),
            (U64{0xFFFFFFFE00000001}));
  EXPECT_EQ(run_snippet<std::uint64_t>("mul.hi.u64 %o, %a, %b;", U64{~0ULL}, U64{~0ULL}),
            (U64{~0ULL - 1}));
  EXPECT_EQ(run_snippet<std::int32_t>("mul.wide.s16 %o, %a, %a;", I16{-32768}), (I32{1 << 30}));
  EXPECT_EQ(run_snippet<std::uint16_t>("mul.lo.u16 %o, %a, %a;", U16{65535}), (U16{1}));
  EXPECT_EQ(run_snippet<std::uint32_t>("mul24.lo.u32 %o, %a, %b;", U32{0xFF000003}, U32{5}),
            (U32{15}));
  EXPECT_EQ(run_snippet<std::int32_t>("mul24.hi.s32 %o, %a, %b;", I32{0x00800000}, I32{1 << 16}),
            (I32{-(1 << 23)}));
}

TEST(AluInteger, MadAddsTheThird) {
  EXPECT_EQ(run_snippet<std::int32_t>("mad.lo.s32 %o, %a, %b, %c;", I32{3}, I32{-4}, I32{5}),
            (I32{-7}));
  EXPECT_EQ(run_snippet<std::uint32_t>("mad.hi.u32 %o, %a, %b, %c;", U32{~0U}, U32{~0U}, U32{7}),
            (U32{5}));
  EXPECT_EQ(run_snippet<std::int64_t>("mad.wide.s32 %o, %a, 4, %c;", I32{-5}, I32{0}, I64{100}),
            (I64{80}));
  EXPECT_EQ(run_snippet<std::uint32_t>("sad.u32 %o, %a, %b, %c;", U32{3, 9}, U32{9, 3}, U32{1, 1}),
            (U32{7, 7}));
}

TEST(AluInteger, DivisionNeverTraps) {
  const I32 a{-7, 7, kLeast, 7}, b{2, -2, -1, 0};
  EXPECT_EQ(run_snippet<std::int32_t>("div.s32 %o, %a, %b;", a, b), (I32{-3, -3, kLeast, -1}));
  EXPECT_EQ(run_snippet<std::int32_t>("rem.s32 %o, %a, %b;", a, b), (I32{-1, 1, 0, -1}));
  EXPECT_EQ(run_snippet<std::uint64_t>("div.u64 %o, %a, %b;", U64{~0ULL, 5}, U64{2, 0}),
            (U64{~0ULL / 2, ~0ULL}));
}

TEST(AluInteger, MinimaMaximaAndSigns) {
  const I32 a{-1, 4, kLeast}, b{1, 3, 0};
  EXPECT_EQ(run_snippet<std::int32_t>("min.s32 %o, %a, %b;", a, b), (I32{-1, 3, kLeast}));
  EXPECT_EQ(run_snippet<std::int32_t>("min.u32 %o, %a, %b;", a, b), (I32{1, 3, 0}));
  EXPECT_EQ(run_snippet<std::int32_t>("max.u32 %o, %a, %b;", a, b), (I32{-1, 4, kLeast}));
  EXPECT_EQ(run_snippet<std::int32_t>("abs.s32 %o, %a;", a), (I32{1, 4, kLeast}));
  EXPECT_EQ(run_snippet<std::int16_t>("neg.s16 %o, %a;", I16{-32768, 5}), (I16{-32768, -5}));
}

TEST(AluInteger, GuardedLanesKeepTheirResult) {
  I32 a(70), expected(70, untouched<std::int32_t>());
  for (int i = 0; i < 70; ++i) a[static_cast<std::size_t>(i)] = i;
  for (const int i : {0, 1, 2, 32, 33, 34, 64, 65, 66}) {
    expected[static_cast<std::size_t>(i)] = i + 10;
  }
  EXPECT_EQ(run_snippet<std::int32_t>(
                "and.b32 %r1, %lane, 31; setp.lt.u32 %p1, %r1, 3; @%p1 add.s32 %o, %a, 10;", a),
            expected);
  EXPECT_EQ(run_snippet<std::int64_t>("setp.ne.u32 %p1, %lane, 1; @!%p1 mul.wide.s32 %o, %a, 2;",
                                      I32{5, 6, 7})[1],
            12);
}

TEST(AluInteger, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(Snippet::is_refused("add.cc.u32 %o, %a, %b;", {32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("addc.u32 %o, %a, %b;", {32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("mad.hi.sat.s32 %o, %a, %b, %c;", {32, 32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("max.relu.s32 %o, %a, %b;", {32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("add.u16x2 %o, %a, %b;", {32, 32, 32}));
  EXPECT_FALSE(Snippet::is_refused("add.u32 %o, %a, %b;", {32, 32, 32}));
}

}  // namespace
}  // namespace gk::emulator
