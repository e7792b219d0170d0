// SPDX-License-Identifier: Apache-2.0
#include "gk/sweep.hpp"

#include <gtest/gtest.h>

#include "kernels/gemv_decode/problem.hpp"

namespace gk {
namespace {

using gemv_decode::GemvDecode;

Sweep llama(Preset preset) {
  Sweep sweep;
  sweep.preset = preset;
  sweep.model = load_model("llama-3-8b");
  return sweep;
}

TEST(Preset, BriefIsThreeShapesOfBf16AtBatchOne) {
  const auto problems = GemvDecode::sweep(llama(Preset::kBrief));
  ASSERT_EQ(problems.size(), 3U);
  for (const auto& problem : problems) {
    EXPECT_EQ(problem.dtype, DType::kBf16);
    EXPECT_EQ(problem.batch, 1);
  }
}

TEST(Preset, QuickIsFourLayersAtTwoBatches) {
  const auto problems = GemvDecode::sweep(llama(Preset::kQuick));
  EXPECT_EQ(problems.size(), 8U);
  for (const auto& problem : problems) EXPECT_NE(problem.n, 128256);  // no lm_head
}

TEST(Preset, DefaultIsAllLayersBatchesAndDtypes) {
  EXPECT_EQ(GemvDecode::sweep(llama(Preset::kDefault)).size(), 5U * 5 * 2);
}

TEST(Preset, NamesParseBack) {
  for (const char* name : {"brief", "quick", "default", "full"}) {
    EXPECT_EQ(name_of(*parse_preset(name)), name);
  }
  EXPECT_FALSE(parse_preset("slow"));
}

TEST(Shape, ReplacesTheSweepAndLeavesOpenAxesSwept) {
  Sweep sweep = llama(Preset::kQuick);
  sweep.shapes = {{{"n", std::int64_t{64}}, {"k", std::int64_t{32}}}};
  EXPECT_EQ(GemvDecode::sweep(sweep).size(), 2U);  // the two batches
  sweep.batches = {3};
  const auto problems = GemvDecode::sweep(sweep);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].batch, 3);
}

TEST(Shape, IsTakenOnlyByAnOpThatKnowsAllItsAxes) {
  Sweep sweep = llama(Preset::kQuick);
  sweep.shapes = {{{"rows", std::int64_t{64}}, {"cols", std::int64_t{32}}}};
  EXPECT_TRUE(GemvDecode::sweep(sweep).empty());
}

TEST(Shape, RefusesAnUnknownEpilogue) {
  Sweep sweep = llama(Preset::kQuick);
  sweep.shapes = {{{"n", std::int64_t{64}}, {"k", std::int64_t{32}}, {"epilogue", "relu"}}};
  EXPECT_THROW(GemvDecode::sweep(sweep), InputError);
}

TEST(Work, OfDecodeIsItsCompulsoryTraffic) {
  const GemvDecode problem{DType::kBf16, 4096, 4096, 1, gemv_decode::Epilogue::kNone, {}};
  const Work work = problem.work();
  EXPECT_EQ(work.flops, 33554432);
  EXPECT_EQ(work.read_bytes, 33562624);
  EXPECT_EQ(work.written_bytes, 8192);
  EXPECT_EQ(work.unit, Unit::kVector);
}

}  // namespace
}  // namespace gk
