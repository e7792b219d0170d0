// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/sanity.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/fakes.hpp"

namespace gk::measure {
namespace {

TEST(Sanity, RefusesWhatNoMachineCanDo) {
  fakes::Bench bench;
  const Case stream = bench.make_ceiling(1);
  EXPECT_EQ(implausible(stream, 200e9, 1), "");
  EXPECT_NE(implausible(stream, 1e14, 1).find("optimised away"), std::string::npos);
  EXPECT_NE(implausible(stream, 1e6, 1).find("something else"), std::string::npos);
  EXPECT_NE(implausible(stream, std::nan(""), 1), "");
}

TEST(Sanity, KnowsThatPeaksDifferByUnitAndDtype) {
  fakes::Bench bench;
  Case peak = bench.make_ceiling(1);
  peak.op = "ceiling_peak";
  EXPECT_NE(implausible(peak, 3e12, 1), "");  // f32 vector
  peak.dtype = DType::kBf16;
  peak.work.unit = Unit::kMatrix;
  EXPECT_EQ(implausible(peak, 3e12, 1), "");  // tiles
}

TEST(Sanity, ASmallerCacheIsNoSlowerThanALarger) {
  EXPECT_EQ(slower_than_next(98e9, "l2", 100e9), "");  // within noise
  EXPECT_NE(slower_than_next(79e9, "l2", 153e9).find("below the 153.0 GB/s of the larger l2"),
            std::string::npos);
}

}  // namespace
}  // namespace gk::measure
