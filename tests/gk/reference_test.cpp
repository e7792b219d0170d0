// SPDX-License-Identifier: Apache-2.0
#include "gk/reference.hpp"

#include <gtest/gtest.h>

namespace gk {
namespace {

TEST(Reference, GeluHasItsKnownValues) {
  EXPECT_DOUBLE_EQ(gelu_tanh(0), 0);
  EXPECT_NEAR(gelu_tanh(1), 0.841191990608, 1e-11);  // 0.5 (1 + tanh(0.797884560803 * 1.044715))
  EXPECT_NEAR(gelu_tanh(-1), -0.158808009392, 1e-11);
  EXPECT_NEAR(gelu_tanh(30), 30, 1e-12);
  EXPECT_NEAR(gelu_tanh(-30), 0, 1e-12);
}

TEST(Reference, DotAddsEveryProductAndItsMagnitude) {
  // 11 columns: eight lanes and a tail of three.
  std::vector<float> a(22), b(22);
  double value = 0, scale = 0;
  for (int i = 0; i < 22; ++i) {
    a[static_cast<std::size_t>(i)] = static_cast<float>(i % 5) - 2;
    b[static_cast<std::size_t>(i)] = static_cast<float>(i) + 0.5F;
  }
  for (std::size_t i = 0; i < 11; ++i) {
    value += a[11 + i] * b[i];
    scale += std::abs(a[11 + i] * b[i]);
  }
  const Tensor ta{a.data(), DType::kF32, 2, 11}, tb{b.data(), DType::kF32, 2, 11};
  const Expected sum = dot(ta, 1, tb, 0);
  EXPECT_DOUBLE_EQ(sum.value, value);
  EXPECT_DOUBLE_EQ(sum.scale, scale);
}

}  // namespace
}  // namespace gk
