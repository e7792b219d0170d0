// SPDX-License-Identifier: Apache-2.0
#include "gk/dtype.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gk {
namespace {

TEST(Bf16, RoundsToNearestEven) {
  EXPECT_EQ(to_float(to_bf16(1.0F)), 1.0F);
  EXPECT_EQ(to_float(to_bf16(1.0F + 0x1p-8F)), 1.0F);            // a tie goes to the even neighbour
  EXPECT_EQ(to_float(to_bf16(1.0F + 0x3p-8F)), 1.0F + 0x1p-6F);  // and upwards from the odd one
  EXPECT_EQ(to_float(to_bf16(1.0F + 0x1.01p-8F)), 1.0F + 0x1p-7F);
}

TEST(Bf16, KeepsNaNAndInfinity) {
  EXPECT_TRUE(std::isnan(to_float(to_bf16(std::numeric_limits<float>::quiet_NaN()))));
  // A NaN whose payload sits in the dropped half must not become infinity.
  EXPECT_TRUE(std::isnan(to_float(to_bf16(std::bit_cast<float>(0x7f800001U)))));
  EXPECT_TRUE(std::isinf(to_float(to_bf16(std::numeric_limits<float>::infinity()))));
}

TEST(DType, NamesParseBack) {
  for (const DType dtype : {DType::kF32, DType::kBf16}) {
    EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
  }
  EXPECT_EQ(parse_dtype("f64"), std::nullopt);
}

TEST(DType, VisitCallsWithTheElementType) {
  EXPECT_EQ(visit(DType::kBf16, [](auto tag) { return sizeof(tag); }), 2U);
  EXPECT_EQ(visit(DType::kF32, [](auto tag) { return sizeof(tag); }), 4U);
  EXPECT_EQ(bytes_of(DType::kBf16, 3), 6);
}

}  // namespace
}  // namespace gk
