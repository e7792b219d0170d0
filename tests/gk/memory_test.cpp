// SPDX-License-Identifier: Apache-2.0
#include "gk/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gk {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

Tensor make(Memory& memory, DType dtype, std::int64_t size) {
  Tensor tensor{.dtype = dtype, .rows = 1, .cols = size};
  tensor.data = memory.allocate(tensor.bytes());
  return tensor;
}

TEST(HostMemory, GeneratesTheSameElementWhereverItIsMade) {
  HostMemory memory(16 * kMiB);
  const Tensor large = make(memory, DType::kF32, 200'000);  // several chunks, several threads
  memory.generate(large, 5, 2.0F);
  for (const std::int64_t i : {0, 1, 65'535, 65'536, 199'999}) {
    EXPECT_EQ(large.as<float>()[i], generated_value(5, static_cast<std::uint64_t>(i), 2.0F)) << i;
  }
}

TEST(HostMemory, RoundsGeneratedValuesToTheDtype) {
  HostMemory memory(16 * kMiB);
  const Tensor tensor = make(memory, DType::kBf16, 1000);
  memory.generate(tensor, 5, 1.0F);
  for (std::int64_t i = 0; i < 1000; ++i) {
    const Bf16 expected = to_bf16(generated_value(5, static_cast<std::uint64_t>(i), 1.0F));
    ASSERT_EQ(tensor.as<Bf16>()[i].bits, expected.bits) << i;
  }
}

TEST(HostMemory, GeneratesUniformValuesOfFullEntropy) {
  constexpr std::uint64_t kCount = 100'000;
  double sum = 0, squares = 0, products = 0, previous = 0;
  float least = 0, most = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const float value = generated_value(1, i, 1.0F);
    sum += value;
    squares += value * value;
    products += value * previous;
    previous = value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_NEAR(sum / kCount, 0, 0.01);
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 0.01);  // of a uniform distribution on [-1, 1)
  EXPECT_NEAR(products / kCount, 0, 0.01);       // neighbours are uncorrelated
  EXPECT_LT(least, -0.999F);
  EXPECT_GT(most, 0.999F);
}

TEST(HostMemory, SeedsDiffer) {
  int equal = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    equal += generated_value(1, i, 1) == generated_value(2, i, 1) ? 1 : 0;
  }
  EXPECT_LT(equal, 3);
}

TEST(HostMemory, PoisonIsNaNInEveryDtype) {
  HostMemory memory(kMiB);
  for (const DType dtype : {DType::kF32, DType::kBf16}) {
    const Tensor tensor = make(memory, dtype, 3);
    memory.poison(tensor);
    visit(dtype,
          [&](auto tag) { EXPECT_TRUE(std::isnan(to_float(tensor.as<decltype(tag)>()[2]))); });
  }
}

TEST(HostMemory, ReusesWhatWasReleased) {
  HostMemory memory(kMiB);
  memory.allocate(100);
  const auto mark = memory.mark();
  void* first = memory.allocate(1000);
  memory.release_to(mark);
  EXPECT_EQ(memory.allocate(10), first);
}

TEST(HostMemory, SaysHowMuchWasNeeded) {
  HostMemory memory(kMiB);
  try {
    memory.allocate(5'000'000'000);
    FAIL() << "5 GB fitted into 1 MiB";
  } catch (const OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("needs 5.00 GB"), std::string::npos) << error.what();
  }
}

TEST(HostMemory, KeepsEqualOperandsApartModulo4KiB) {
  HostMemory memory(kMiB);
  const auto offset = [&] {
    return reinterpret_cast<std::uintptr_t>(memory.allocate(8192)) % 4096;
  };
  const std::uintptr_t a = offset(), b = offset(), c = offset();
  EXPECT_NE(a, b);
  EXPECT_NE(b, c);
  EXPECT_EQ(a % 64, 0U);
}

TEST(CountingMemory, AddsUpAndTouchesNothing) {
  CountingMemory memory;
  EXPECT_EQ(memory.allocate(10), nullptr);
  memory.allocate(5);
  EXPECT_EQ(memory.mark(), 15);
}

}  // namespace
}  // namespace gk
