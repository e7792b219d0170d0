// SPDX-License-Identifier: Apache-2.0
// The tolerance must be wide enough for every honest kernel (correctness_test.cpp) and narrow
// enough for the mistakes that kernels really make, which stand here.
#include "gk/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gk/reference.hpp"
#include "kernels/elementwise_bias_gelu_residual/problem.hpp"
#include "kernels/gemv_decode/problem.hpp"

namespace gk {
namespace {

using elementwise_bias_gelu_residual::BiasGeluResidual;
using gemv_decode::Epilogue;
using gemv_decode::GemvDecode;

// A right output, computed in double and rounded once, that a test then spoils.
template <class P>
class Spoiled {
 public:
  explicit Spoiled(const P& problem) : problem_(problem) {
    case_ = {.op = std::string(P::kName),
             .implementation = "cpu_test",
             .dtype = problem.dtype,
             .axes = problem.axes(),
             .roles = {},
             .device = {},
             .work = problem.work(),
             .rows = problem.rows(),
             .terms = problem.terms(),
             .only = {},
             .operands = {},
             .plans = {},
             .reference = [problem](Arena& arena) { return problem.reference(arena); }};
    set_ = problem.operands(arena_);
    truth_ = make_truth(case_, arena_, 1);
    const ReferenceRow reference = problem.reference(arena_);
    for (std::int64_t row = 0; row < problem.rows(); ++row) {
      const auto values = reference(row)[0];
      for (std::int64_t i = 0; i < set_.y.cols; ++i) {
        put(row, i, values[static_cast<std::size_t>(i)].value);
      }
    }
  }
  void put(std::int64_t row, std::int64_t column, double value) {
    visit(set_.y.dtype, [&](auto tag) {
      using T = decltype(tag);
      set_.y.template as<T>()[row * set_.y.cols + column] =
          from_float<T>(static_cast<float>(value));
    });
  }
  double get(std::int64_t row, std::int64_t column) { return element(set_.y, row, column); }
  typename P::Operands& set() { return set_; }
  std::string fault() { return verify(case_, arena_, truth_).fault; }

 private:
  P problem_;
  Case case_;
  HostMemory memory_{1 << 26};
  Scratch scratch_{memory_};
  Arena arena_{memory_, scratch_, 3};
  typename P::Operands set_;
  Truth truth_;
};

class GemvMistake : public testing::TestWithParam<DType> {
 protected:
  static constexpr std::int64_t kN = 256, kK = 4096, kBatch = 2;
  Spoiled<GemvDecode> right_{{GetParam(), kN, kK, kBatch, Epilogue::kNone, {}}};
  // The part of y[row, column] that columns [first, end) of x contribute.
  double part(std::int64_t row, std::int64_t column, std::int64_t first, std::int64_t end) {
    double sum = 0;
    for (std::int64_t i = first; i < end; ++i) {
      sum += element(right_.set().x, row, i) * element(right_.set().w, column, i);
    }
    return sum;
  }
};

TEST_P(GemvMistake, ARightResultIsRight) { EXPECT_EQ(right_.fault(), ""); }

TEST_P(GemvMistake, OneMissingBlockOfKIsWrong) {
  for (std::int64_t i = 0; i < kN; ++i) {
    right_.put(0, i, right_.get(0, i) - part(0, i, 1024, 1088));
  }
  EXPECT_NE(right_.fault(), "");
}

TEST_P(GemvMistake, OneWrongTileIsWrong) {
  for (std::int64_t i = 64; i < 80; ++i) right_.put(1, i, right_.get(1, i - 64));
  EXPECT_NE(right_.fault(), "");
}

TEST_P(GemvMistake, OneUnwrittenElementIsWrong) {
  right_.put(0, kN - 1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(right_.fault().find("1 of 512 elements"), std::string::npos) << right_.fault();
}

INSTANTIATE_TEST_SUITE_P(DTypes, GemvMistake, testing::Values(DType::kF32, DType::kBf16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(BiasMistake, ADroppedBiasIsWrong) {
  Spoiled<GemvDecode> right({DType::kBf16, 128, 512, 1, Epilogue::kBiasGelu, {}});
  ASSERT_EQ(right.fault(), "");
  Spoiled<GemvDecode> without({DType::kBf16, 128, 512, 1, Epilogue::kNone, {}});
  for (std::int64_t i = 0; i < 128; ++i) right.put(0, i, gelu_tanh(without.get(0, i)));
  EXPECT_NE(right.fault(), "");
}

TEST(BiasMistake, ABiasOffByOneColumnIsWrong) {
  Spoiled<BiasGeluResidual> right({DType::kBf16, 3, 100, {}});
  ASSERT_EQ(right.fault(), "");
  const auto& set = right.set();
  for (std::int64_t i = 1; i < 100; ++i) {
    const double shifted = element(set.x, 2, i) + element(set.bias, 0, i - 1);
    right.put(2, i, gelu_tanh(shifted) + element(set.r, 2, i));
  }
  EXPECT_NE(right.fault(), "");
}

TEST(VerifiedRows, AreFirstLastTileEdgesAndSomeMore) {
  const auto rows = verified_rows(1000, 1);
  for (const std::int64_t row : {0, 63, 64, 127, 128, 999}) {
    EXPECT_TRUE(std::ranges::count(rows, row) == 1) << row;
  }
  EXPECT_LE(rows.size(), 74U);
  EXPECT_EQ(verified_rows(1, 1), std::vector<std::int64_t>{0});
}

TEST(Tolerance, GrowsWithTheRootOfTheTerms) {
  const Expected one{0, 1};
  EXPECT_DOUBLE_EQ(tolerance(DType::kF32, 16, one), 0x1p-24 * 16);
  EXPECT_DOUBLE_EQ(tolerance(DType::kF32, 10'000, one), 0x1p-24 * 400);
}

}  // namespace
}  // namespace gk
