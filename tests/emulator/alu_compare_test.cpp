// SPDX-License-Identifier: Apache-2.0
// Comparisons, selections and moves against the PTX ISA, sections 9.7.6 and 9.7.9.
#include <cmath>
#include <limits>

#include "tests/emulator/snippet.hpp"

namespace gk::emulator {
namespace {

using U32 = std::vector<std::uint32_t>;
using U64 = std::vector<std::uint64_t>;
using I32 = std::vector<std::int32_t>;
using F32 = std::vector<float>;
using F64 = std::vector<double>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const std::string kSelect = " selp.u32 %o, 1, 0, %p1;";

// "1" per lane where a comparison of these holds.
template <class T>
std::string outcome(const std::string& opcode, const std::vector<T>& a, const std::vector<T>& b) {
  std::string body = "setp.";
  body.append(opcode).append(" %p1, %a, %b;").append(kSelect);
  std::string holds;
  for (const auto one : run_snippet<std::uint32_t>(body, a, b)) {
    holds += one != 0 ? '1' : '0';
  }
  return holds;
}

TEST(AluCompare, IntegersInOrder) {
  const I32 a{-1, 0, 1}, b{0, 0, 0};
  EXPECT_EQ(outcome("eq.s32", a, b), "010");
  EXPECT_EQ(outcome("ne.b32", a, b), "101");
  EXPECT_EQ(outcome("lt.s32", a, b), "100");
  EXPECT_EQ(outcome("le.s32", a, b), "110");
  EXPECT_EQ(outcome("gt.s32", a, b), "001");
  EXPECT_EQ(outcome("ge.s32", a, b), "011");
  EXPECT_EQ(outcome("gt.u32", a, b), "101");
  EXPECT_EQ(outcome("lo.u32", b, a), "101");
  EXPECT_EQ(outcome("ls.u32", b, a), "111");
  EXPECT_EQ(outcome("hi.u32", a, b), "101");
  EXPECT_EQ(outcome("hs.u32", a, b), "111");
  EXPECT_EQ(outcome("lt.s64", std::vector<std::int64_t>{-1LL << 40}, std::vector<std::int64_t>{1}),
            "1");
}

TEST(AluCompare, FloatsOrderedAndUnordered) {
  const F32 a{1, 2, 3, kNan}, b{2, 2, 2, 2};
  const std::vector<std::pair<std::string, std::string>> expected{
      {"eq", "0100"},  {"ne", "1010"},  {"lt", "1000"},  {"le", "1100"},  {"gt", "0010"},
      {"ge", "0110"},  {"equ", "0101"}, {"neu", "1011"}, {"ltu", "1001"}, {"leu", "1101"},
      {"gtu", "0011"}, {"geu", "0111"}, {"num", "1110"}, {"nan", "0001"}};
  const F64 wide_a(a.begin(), a.end()), wide_b(b.begin(), b.end());
  for (const auto& [word, holds] : expected) {
    EXPECT_EQ(outcome(word + ".f32", a, b), holds) << word;
    EXPECT_EQ(outcome(word + ".f64", wide_a, wide_b), holds) << word;
  }
  EXPECT_EQ(outcome("eq.ftz.f32", F32{0x1p-140F}, F32{0}), "1");
  EXPECT_EQ(outcome("eq.f32", F32{0x1p-140F}, F32{0}), "0");
}

TEST(AluCompare, HalvesAreReadInTheirFormat) {
  using U16 = std::vector<std::uint16_t>;
  EXPECT_EQ(outcome("lt.bf16", U16{0x3F80, 0xC000}, U16{0x4000, 0xC040}), "10");
  EXPECT_EQ(outcome("gt.f16", U16{0x3C00, 0x7E00}, U16{0x0001, 0x0001}), "10");
}

TEST(AluCompare, CombinesWithAThirdPredicateAndGivesTheOpposite) {
  const std::string third = "setp.ne.u32 %p2, %b, 0; ";
  const U32 a{0, 0, 5, 5}, b{0, 1, 0, 1};
  const auto run = [&](const std::string& setp, const std::string& which) {
    return run_snippet<std::uint32_t>(third + setp + " selp.u32 %o, 1, 0, " + which + ";", a, b);
  };
  EXPECT_EQ(run("setp.eq.and.u32 %p1|%p3, %a, 0, %p2;", "%p1"), (U32{0, 1, 0, 0}));
  EXPECT_EQ(run("setp.eq.and.u32 %p1|%p3, %a, 0, %p2;", "%p3"), (U32{0, 0, 0, 1}));
  EXPECT_EQ(run("setp.eq.or.u32 %p1, %a, 0, %p2;", "%p1"), (U32{1, 1, 0, 1}));
  EXPECT_EQ(run("setp.eq.xor.u32 %p1, %a, 0, !%p2;", "%p1"), (U32{0, 1, 1, 0}));
  EXPECT_EQ(run("setp.eq.u32 %p1|%p3, %a, 0;", "%p3"), (U32{0, 0, 1, 1}));
}

TEST(AluCompare, SetGivesOnesOrOne) {
  EXPECT_EQ(run_snippet<std::uint32_t>("set.gt.u32.f32 %o, %a, %b;", F32{2, 1}, F32{1, 2}),
            (U32{~0U, 0}));
  EXPECT_EQ(run_snippet<float>("set.lt.f32.s32 %o, %a, 0;", I32{-1, 1}), (F32{1, 0}));
}

TEST(AluCompare, SelectsByPredicateOrSign) {
  EXPECT_EQ(run_snippet<double>("setp.eq.u32 %p1, %lane, 1; selp.f64 %o, %a, %b, !%p1;", F64{1, 2},
                                F64{3, 4}),
            (F64{1, 4}));
  EXPECT_EQ(
      run_snippet<std::uint32_t>("slct.u32.s32 %o, %a, %b, %c;", U32{1, 1}, U32{2, 2}, I32{0, -1}),
      (U32{1, 2}));
  EXPECT_EQ(
      run_snippet<float>("slct.f32.f32 %o, %a, %b, %c;", F32{1, 1}, F32{2, 2}, F32{-0.0F, kNan}),
      (F32{1, 2}));
}

TEST(AluCompare, TestsForClasses) {
  const F32 a{0, 1, 0x1p-140F, HUGE_VALF, kNan};
  const auto test = [&](const std::string& word) {
    return run_snippet<std::uint32_t>("testp." + word + ".f32 %p1, %a;" + kSelect, a);
  };
  EXPECT_EQ(test("finite"), (U32{1, 1, 1, 0, 0}));
  EXPECT_EQ(test("infinite"), (U32{0, 0, 0, 1, 0}));
  EXPECT_EQ(test("number"), (U32{1, 1, 1, 1, 0}));
  EXPECT_EQ(test("notanumber"), (U32{0, 0, 0, 0, 1}));
  EXPECT_EQ(test("normal"), (U32{0, 1, 0, 0, 0}));
  EXPECT_EQ(test("subnormal"), (U32{0, 0, 1, 0, 0}));
}

TEST(AluCompare, MovesBitsOfEveryType) {
  EXPECT_EQ(run_snippet<float>("mov.b32 %o, %a;", U32{0x3F800000}), (F32{1}));
  EXPECT_EQ(run_snippet<std::uint64_t>("mov.f64 %o, 0d3FF0000000000000;", U32{0}),
            (U64{0x3FF0000000000000}));
  EXPECT_EQ(run_snippet<std::uint32_t>("mov.u32 %o, %tid.x;", U32{9, 9, 9}), (U32{0, 1, 2}));
}

TEST(AluCompare, GuardedLanesKeepTheirPredicate) {
  EXPECT_EQ(run_snippet<std::uint32_t>("setp.lt.u32 %p2, %lane, 2; setp.ne.u32 %p1, %a, %a;"
                                       "@%p2 setp.eq.u32 %p1, %a, %a;" +
                                           kSelect,
                                       U32{7, 7, 7}),
            (U32{1, 1, 0}));
}

TEST(AluCompare, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(Snippet::is_refused("setp.lo.s32 %p1, %a, %b;", {32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("setp.lt.b32 %p1, %a, %b;", {32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("setp.eq.f16x2 %p1|%p2, %a, %b;", {32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("set.eq.and.u32.u32 %o, %a, %b, %p1;", {32, 32, 32}));
}

}  // namespace
}  // namespace gk::emulator
