// SPDX-License-Identifier: Apache-2.0
// Logic, shifts and bit fields against the pseudocode of the PTX ISA, sections 9.7.1 and 9.7.8.
#include "tests/emulator/snippet.hpp"

namespace gk::emulator {
namespace {

using U16 = std::vector<std::uint16_t>;
using U32 = std::vector<std::uint32_t>;
using I32 = std::vector<std::int32_t>;
using U64 = std::vector<std::uint64_t>;

TEST(AluBits, LogicOnEveryWidth) {
  EXPECT_EQ(run_snippet<std::uint16_t>("xor.b16 %o, %a, %b;", U16{0xF0F0}, U16{0xFFFF}),
            (U16{0x0F0F}));
  EXPECT_EQ(run_snippet<std::uint32_t>("or.b32 %o, %a, 0x10;", U32{1}), (U32{0x11}));
  EXPECT_EQ(run_snippet<std::uint64_t>("not.b64 %o, %a;", U64{1}), (U64{~1ULL}));
}

TEST(AluBits, LogicOnPredicatesIsPerLane) {
  const std::string odd = "and.b32 %r1, %a, 1; setp.ne.u32 %p1, %r1, 0; setp.gt.u32 %p2, %a, 1;";
  const U32 a{0, 1, 2, 3};
  const std::string select = " selp.u32 %o, 1, 0, %p3;";
  EXPECT_EQ(run_snippet<std::uint32_t>(odd + "and.pred %p3, %p1, %p2;" + select, a),
            (U32{0, 0, 0, 1}));
  EXPECT_EQ(run_snippet<std::uint32_t>(odd + "or.pred %p3, %p1, !%p2;" + select, a),
            (U32{1, 1, 0, 1}));
  EXPECT_EQ(run_snippet<std::uint32_t>(odd + "xor.pred %p3, %p1, -1;" + select, a),
            (U32{1, 0, 1, 0}));
  EXPECT_EQ(run_snippet<std::uint32_t>(odd + "not.pred %p3, %p2;" + select, a), (U32{1, 1, 0, 0}));
  EXPECT_EQ(
      run_snippet<std::uint32_t>(odd + "mov.pred %p3, %p1; @%p2 mov.pred %p3, 0;" + select, a),
      (U32{0, 1, 0, 0}));
}

TEST(AluBits, ShiftsClampTheirAmount) {
  const U32 amounts{0, 4, 31, 32, 255};
  const U32 a(5, 0x80000001);
  EXPECT_EQ(run_snippet<std::uint32_t>("shl.b32 %o, %a, %b;", a, amounts),
            (U32{0x80000001, 0x10, 0x80000000, 0, 0}));
  EXPECT_EQ(run_snippet<std::uint32_t>("shr.u32 %o, %a, %b;", a, amounts),
            (U32{0x80000001, 0x08000000, 1, 0, 0}));
  EXPECT_EQ(run_snippet<std::uint32_t>("shr.s32 %o, %a, %b;", a, amounts),
            (U32{0x80000001, 0xF8000000, ~0U, ~0U, ~0U}));
  EXPECT_EQ(run_snippet<std::uint64_t>("shl.b64 %o, %a, %b;", U64{1, 1}, U32{63, 64}),
            (U64{1ULL << 63, 0}));
  EXPECT_EQ(run_snippet<std::uint16_t>("shl.b16 %o, %a, %b;", U16{3, 3}, U32{15, 16}),
            (U16{0x8000, 0}));
}

TEST(AluBits, FunnelShiftsWrapOrClamp) {
  const U32 low(3, 0x11111111), high(3, 0x22222222), amounts{4, 32, 36};
  EXPECT_EQ(run_snippet<std::uint32_t>("shf.l.wrap.b32 %o, %a, %b, %c;", low, high, amounts),
            (U32{0x22222221, 0x22222222, 0x22222221}));
  EXPECT_EQ(run_snippet<std::uint32_t>("shf.l.clamp.b32 %o, %a, %b, %c;", low, high, amounts),
            (U32{0x22222221, 0x11111111, 0x11111111}));
  EXPECT_EQ(run_snippet<std::uint32_t>("shf.r.wrap.b32 %o, %a, %b, %c;", low, high, amounts),
            (U32{0x21111111, 0x11111111, 0x21111111}));
  EXPECT_EQ(run_snippet<std::uint32_t>("shf.r.clamp.b32 %o, %a, %b, %c;", low, high, amounts),
            (U32{0x21111111, 0x22222222, 0x22222222}));
}

// The ISA's loop over bits.
template <class T>
T extract_as_documented(T a, unsigned b, unsigned c) {
  const unsigned msb = 8 * sizeof(T) - 1, pos = b & 0xFF, len = c & 0xFF;
  const bool is_signed = std::is_signed_v<T>;
  const auto bit = [&](unsigned at) { return (static_cast<std::uint64_t>(a) >> at) & 1; };
  const std::uint64_t sbit = !is_signed || len == 0 ? 0 : bit(std::min(pos + len - 1, msb));
  std::uint64_t d = 0;
  for (unsigned i = 0; i <= msb; ++i) {
    d |= (i < len && pos + i <= msb ? bit(pos + i) : sbit) << i;
  }
  return static_cast<T>(d);
}

TEST(AluBits, FieldsAreExtractedAsDocumented) {
  U32 a, b, c, unsigned_fields;
  I32 signed_fields;
  for (unsigned pos = 0; pos < 40; pos += 3) {
    for (unsigned len = 0; len < 40; len += 3) {
      a.push_back(0x9E3779B9U * (pos + 1) + len);
      b.push_back(pos);
      c.push_back(len + 0x100);
      unsigned_fields.push_back(extract_as_documented(a.back(), pos, len));
      signed_fields.push_back(extract_as_documented(static_cast<std::int32_t>(a.back()), pos, len));
    }
  }
  EXPECT_EQ(run_snippet<std::uint32_t>("bfe.u32 %o, %a, %b, %c;", a, b, c), unsigned_fields);
  EXPECT_EQ(run_snippet<std::int32_t>("bfe.s32 %o, %a, %b, %c;", a, b, c), signed_fields);
}

TEST(AluBits, FieldsAreInserted) {
  EXPECT_EQ(run_snippet<std::uint32_t>("bfi.b32 %o, %a, %b, %c, %d;", U32{0xAB, 0xAB, 1, 1},
                                       U32{~0U, 0, 7, 7}, U32{8, 28, 0, 32}, U32{8, 8, 0, 4}),
            (U32{0xFFFFABFF, 0xB0000000, 7, 7}));
  EXPECT_EQ(run_snippet<std::uint64_t>("bfi.b64 %o, %a, %b, 32, 32;", U64{0x12345678}, U64{5}),
            (U64{0x1234567800000005}));
}

TEST(AluBits, CountsAndPositions) {
  EXPECT_EQ(run_snippet<std::uint32_t>("popc.b64 %o, %a;", U64{~0ULL, 0}), (U32{64, 0}));
  EXPECT_EQ(run_snippet<std::uint32_t>("clz.b32 %o, %a;", U32{0, 1, ~0U}), (U32{32, 31, 0}));
  EXPECT_EQ(run_snippet<std::uint32_t>("brev.b32 %o, %a;", U32{1, 0xF0}),
            (U32{0x80000000, 0x0F000000}));
  EXPECT_EQ(run_snippet<std::uint32_t>("bfind.u32 %o, %a;", U32{0, 1, 0x80000000}),
            (U32{~0U, 0, 31}));
  EXPECT_EQ(run_snippet<std::uint32_t>("bfind.s32 %o, %a;", U32{~0U, ~1U, 5}), (U32{~0U, 0, 2}));
  EXPECT_EQ(run_snippet<std::uint32_t>("bfind.shiftamt.u32 %o, %a;", U32{1, 0}), (U32{31, ~0U}));
  EXPECT_EQ(run_snippet<std::uint32_t>("fns.b32 %o, %a, %b, %c;", U32(4, 0b10110), U32{0, 0, 4, 1},
                                       I32{1, 3, -2, 0}),
            (U32{1, 4, 2, 1}));
}

TEST(AluBits, PermutesBytes) {
  const U32 a{0x83020100}, b{0x07060504};
  EXPECT_EQ(run_snippet<std::uint32_t>("prmt.b32 %o, %a, %b, 0x7250;", a, b), (U32{0x07020500}));
  EXPECT_EQ(run_snippet<std::uint32_t>("prmt.b32 %o, %a, %b, 0xB8CB;", a, b), (U32{0xFF0000FF}));
}

TEST(AluBits, Lop3LooksUpEveryFunction) {
  const U32 a{0xF0F0F0F0}, b{0xCCCCCCCC}, c{0xAAAAAAAA};
  for (const std::uint32_t table : {0x00U, 0x96U, 0xE8U, 0xCAU, 0x80U, 0xFEU, 0xFFU}) {
    EXPECT_EQ(run_snippet<std::uint32_t>("lop3.b32 %o, %a, %b, %c, " + std::to_string(table) + ";",
                                         a, b, c)
                  .front(),
              table * 0x01010101U);
  }
}

TEST(AluBits, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(Snippet::is_refused("prmt.b32.f4e %o, %a, %b, %c;", {32, 32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("lop3.or.b32 %o|%p1, %a, %b, %c, 1, %p2;", {32, 32, 32, 32}));
  EXPECT_TRUE(Snippet::is_refused("bmsk.clamp.b32 %o, %a, %b;", {32, 32, 32}));
}

}  // namespace
}  // namespace gk::emulator
