// SPDX-License-Identifier: Apache-2.0
// Exchange between the lanes of a warp against the pseudocode of the PTX ISA, section 9.7.9 and on.
#include <functional>
#include <numeric>

#include "tests/emulator/snippet.hpp"

namespace gk::emulator {
namespace {

using U32 = std::vector<std::uint32_t>;

constexpr int kWarp = 32;

U32 lanes(const std::function<std::uint32_t(int lane)>& value) {
  U32 all(kWarp);
  for (int lane = 0; lane < kWarp; ++lane) all[static_cast<std::size_t>(lane)] = value(lane);
  return all;
}

U32 squares() {
  return lanes([](int lane) { return static_cast<std::uint32_t>(lane * lane); });
}
std::uint32_t square(int lane) { return static_cast<std::uint32_t>(lane * lane); }

U32 run(const std::string& body) { return run_snippet<std::uint32_t>(body, squares()); }

TEST(WarpOperations, ShufflesPickTheirLane) {
  EXPECT_EQ(run("shfl.sync.bfly.b32 %o, %a, 5, 31, -1;"),
            lanes([](int lane) { return square(lane ^ 5); }));
  EXPECT_EQ(run("shfl.sync.idx.b32 %o, %a, 7, 31, -1;"), lanes([](int) { return square(7); }));
  EXPECT_EQ(run("shfl.sync.down.b32 %o, %a, 3, 31, -1;"),
            lanes([](int lane) { return square(lane + 3 < kWarp ? lane + 3 : lane); }));
  EXPECT_EQ(run("shfl.sync.up.b32 %o, %a, 3, 0, -1;"),
            lanes([](int lane) { return square(lane >= 3 ? lane - 3 : lane); }));
}

// Groups of 8: segment mask 0x18 in bits 8 to 12, clamp in bits 0 to 4.
TEST(WarpOperations, ShufflesStayWithinTheirSegment) {
  EXPECT_EQ(run("shfl.sync.down.b32 %o, %a, 3, 0x181F, -1;"),
            lanes([](int lane) { return square(lane % 8 + 3 < 8 ? lane + 3 : lane); }));
  EXPECT_EQ(run("shfl.sync.up.b32 %o, %a, 3, 0x1800, -1;"),
            lanes([](int lane) { return square(lane % 8 >= 3 ? lane - 3 : lane); }));
  EXPECT_EQ(run("shfl.sync.idx.b32 %o, %a, 2, 0x181F, -1;"),
            lanes([](int lane) { return square(lane / 8 * 8 + 2); }));
}

TEST(WarpOperations, ShufflesTellWhetherTheirLaneWasInRange) {
  EXPECT_EQ(run("shfl.sync.down.b32 %r1|%p1, %a, 30, 31, -1; selp.u32 %o, 1, 0, %p1;"),
            lanes([](int lane) { return lane < 2 ? 1U : 0U; }));
}

TEST(WarpOperations, GuardedLanesKeepWhatTheyHad) {
  EXPECT_EQ(run("setp.lt.u32 %p1, %lane, 16; mov.u32 %o, 9;"
                "@%p1 shfl.sync.bfly.b32 %o, %a, 1, 31, 0x0000ffff;"),
            lanes([](int lane) { return lane < 16 ? square(lane ^ 1) : 9U; }));
}

TEST(WarpOperations, VotesAreOfTheirMembers) {
  const std::string low = "setp.lt.u32 %p1, %lane, 5;";
  const std::string result = "selp.u32 %o, 1, 0, %p2;";
  EXPECT_EQ(run(low + "vote.sync.any.pred %p2, %p1, -1;" + result), U32(kWarp, 1));
  EXPECT_EQ(run(low + "vote.sync.all.pred %p2, %p1, -1;" + result), U32(kWarp, 0));
  EXPECT_EQ(run(low + "vote.sync.uni.pred %p2, %p1, -1;" + result), U32(kWarp, 0));
  EXPECT_EQ(run(low + "vote.sync.any.pred %p2, !%p1, -1;" + result), U32(kWarp, 1));
  EXPECT_EQ(run(low + "vote.sync.ballot.b32 %o, %p1, -1;"), U32(kWarp, 0x1F));
  EXPECT_EQ(run(low + "vote.sync.ballot.b32 %o, !%p1, -1;"), U32(kWarp, 0xFFFFFFE0));
}

TEST(WarpOperations, MatchFindsEqualLanes) {
  const std::string parity = "and.b32 %r1, %lane, 1;";
  EXPECT_EQ(run(parity + "match.any.sync.b32 %o, %r1, -1;"),
            lanes([](int lane) { return lane % 2 == 0 ? 0x55555555U : 0xAAAAAAAAU; }));
  EXPECT_EQ(run(parity + "match.all.sync.b32 %o|%p1, %r1, -1;"), U32(kWarp, 0));
  EXPECT_EQ(run("mov.u32 %r1, 3; match.all.sync.b32 %r2|%p1, %r1, -1; selp.u32 %o, %r2, 0, %p1;"),
            U32(kWarp, 0xFFFFFFFF));
  EXPECT_EQ(run("mov.u64 %w1, 0x100000000; match.any.sync.b64 %o, %w1, -1;"),
            U32(kWarp, 0xFFFFFFFF));
}

TEST(WarpOperations, ReductionsAreOverTheirMembers) {
  const U32 all = squares();
  EXPECT_EQ(run("redux.sync.add.u32 %o, %a, -1;"),
            U32(kWarp, std::accumulate(all.begin(), all.end(), 0U)));
  EXPECT_EQ(run("redux.sync.max.u32 %o, %a, -1;"), U32(kWarp, 961));
  EXPECT_EQ(run("neg.s32 %r1, %a; redux.sync.min.s32 %o, %r1, -1;"),
            U32(kWarp, static_cast<std::uint32_t>(-961)));
  EXPECT_EQ(run("redux.sync.or.b32 %o, %lane, -1;"), U32(kWarp, 31));
  EXPECT_EQ(run("redux.sync.and.b32 %o, %lane, -1;"), U32(kWarp, 0));
  EXPECT_EQ(run("redux.sync.xor.b32 %o, %lane, -1;"), U32(kWarp, 0));
}

TEST(WarpOperations, ElectsOneLane) {
  EXPECT_EQ(run("elect.sync %r1|%p1, -1; selp.u32 %o, 1, 0, %p1;"),
            lanes([](int lane) { return lane == 0 ? 1U : 0U; }));
}

TEST(WarpOperations, DivergentLanesMeetAgain) {
  EXPECT_EQ(
      run("{ mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
          "LOOP: setp.ge.u32 %p1, %r1, %lane; @%p1 bra DONE;\n"
          "add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, 1; bra LOOP;\n"
          "DONE: activemask.b32 %r3; popc.b32 %r3, %r3;\n"
          "mad.lo.u32 %o, %r3, 1000, %r2; }"),
      lanes([](int lane) { return static_cast<std::uint32_t>(32000 + lane * (lane - 1) / 2); }));
}

// Half of a warp spins until the other half has written, at every position of the loop in a slice.
TEST(WarpOperations, LanesMayWaitForOthersOfTheirWarp) {
  for (int position = 0; position < 6; ++position) {
    std::string padding;
    for (int i = 0; i < position; ++i) padding += "mov.u32 %r3, 0;";
    EXPECT_EQ(run("{ .shared .align 4 .b8 flag[4]; setp.lt.u32 %p1, %lane, 16;\n"
                  "setp.eq.u32 %p2, %lane, 0; @%p2 st.volatile.shared.u32 [flag], 0;\n"
                  "bar.warp.sync -1; mov.u32 %o, 1; @!%p1 bra WRITE;\n" +
                  padding +
                  "LOOP: ld.volatile.shared.u32 %r1, [flag]; setp.eq.u32 %p3, %r1, 0;\n"
                  "@%p3 bra LOOP; bra DONE;\n"
                  "WRITE: setp.eq.u32 %p2, %lane, 16; @%p2 st.volatile.shared.u32 [flag], 1;\n"
                  "DONE: }"),
              U32(kWarp, 1));
  }
}

TEST(WarpOperations, WhatIsNotKnownIsRefused) {
  for (const char* body :
       {"shfl.sync.nonsense.b32 %o, %a, 1, 31, -1;", "shfl.sync.bfly.b32 %o, %a, 1, 31;",
        "vote.sync.most.pred %p1, %p2, -1;", "redux.sync.min.f32 %o, %a, -1;", "bar.sync;",
        "bar.arrive 1;", "elect.sync %o, -1;", "atom.global.add.u32 %o;"}) {
    EXPECT_TRUE(Snippet::is_refused(body, {32, 32})) << body;
  }
}

TEST(WarpOperations, RegistersOfAnotherWidthAreRefused) {
  EXPECT_TRUE(Snippet::is_refused("mov.u64 %o, 0;", {16}));
  EXPECT_TRUE(Snippet::is_refused("add.s32 %o, %a, 1;", {32, 64}));
  EXPECT_TRUE(Snippet::is_refused("add.s32 %p1, %a, 1;", {32, 32}));
  EXPECT_TRUE(Snippet::is_refused("setp.eq.s32 %o, %a, 1;", {32, 32}));
  EXPECT_TRUE(Snippet::is_refused("ld.global.u32 %o, [%a];", {32, 32}));
  EXPECT_TRUE(Snippet::is_refused("mov.u64 %o, %tid.x;", {64}));
}

}  // namespace
}  // namespace gk::emulator
