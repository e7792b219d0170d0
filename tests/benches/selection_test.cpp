// SPDX-License-Identifier: Apache-2.0
#include "benches/selection.hpp"

#include <gtest/gtest.h>

namespace gk::benches {
namespace {

TEST(Filter, IsExtendedAndUnanchored) {
  EXPECT_TRUE(Filter("gemv|soft").matches("op/softmax"));
  EXPECT_FALSE(Filter("^soft").matches("op/softmax"));
}

TEST(Filter, ALeadingMinusNegates) {
  EXPECT_FALSE(Filter("-decode").matches("gemv_decode"));
  EXPECT_TRUE(Filter("-decode").matches("softmax"));
}

TEST(Filter, EmptyAndAllAreEverything) {
  EXPECT_TRUE(Filter("").matches("x"));
  EXPECT_TRUE(Filter("all").matches("x"));
}

TEST(Filter, SaysWhyAnExpressionIsBad) {
  try {
    Filter bad("gemv(");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'gemv('"), std::string::npos) << error.what();
  }
}

Arguments quick() {
  Arguments arguments;
  arguments.sweep.preset = Preset::kQuick;
  arguments.sweep.model = load_model("llama-3-8b");
  return arguments;
}

TEST(Selection, MakesABlockPerProblemAndCacheState) {
  Arguments arguments = quick();
  arguments.filter = "gemv_decode";
  EXPECT_EQ(select_blocks(arguments).size(), 8U);
  arguments.caches = {Cache::kCold, Cache::kWarm};
  EXPECT_EQ(select_blocks(arguments).size(), 16U);
}

TEST(Selection, FiltersMembersOfABlock) {
  Arguments arguments = quick();
  arguments.filter = "gemv_decode/cpu_fused/.*batch:1/";
  const auto blocks = select_blocks(arguments);
  EXPECT_EQ(blocks.size(), 4U);
  for (const Block& block : blocks) EXPECT_EQ(block.cases.size(), 1U);
}

TEST(Selection, CeilingsHaveTheirOwnCacheState) {
  Arguments arguments = quick();
  arguments.filter = "ceiling_stream";
  const auto blocks = select_blocks(arguments);
  EXPECT_FALSE(blocks.empty());
  for (const Block& block : blocks) {
    const bool dram = word(block.cases.front().axes, "level") == "dram";
    EXPECT_EQ(block.cache, dram ? Cache::kCold : Cache::kWarm);
  }
}

TEST(Selection, RefusesAShapeThatNoOpTakes) {
  Arguments arguments = quick();
  arguments.sweep.shapes = {{{"depth", std::int64_t{3}}}};
  try {
    select_blocks(arguments);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("depth:3"), std::string::npos) << what;
    EXPECT_NE(what.find("gemv_decode takes n,k,batch,epilogue"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace gk::benches
