// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "gk/divider.cuh"
#include "gk/vector.cuh"
#include "tests/cuda/device.hpp"

namespace gk {
namespace {

using cuda_test::Buffer;

constexpr int kThreads = 128;

unsigned blocks_of(std::size_t count) { return static_cast<unsigned>(count / kThreads) + 1; }

template <class T>
__global__ void unpack_kernel(const T* from, float* to, unsigned vectors) {
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  if (index >= vectors) return;
  float values[kPerVector<T>];
  unpack(load_vector<Access::kStreaming>(from, index), values);
  for (int i = 0; i < kPerVector<T>; ++i) to[index * kPerVector<T> + i] = values[i];
}

template <class T>
__global__ void pack_kernel(const float* from, T* to, unsigned vectors) {
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  if (index >= vectors) return;
  float values[kPerVector<T>];
  for (int i = 0; i < kPerVector<T>; ++i) values[i] = from[index * kPerVector<T> + i];
  store_vector<Access::kStreaming>(to, index, pack(values));
}

std::vector<Bf16> all_bf16() {
  std::vector<Bf16> all;
  for (unsigned bits = 0; bits < 1U << 16; ++bits)
    all.push_back({static_cast<std::uint16_t>(bits)});
  return all;
}

TEST(CudaVector, UnpacksEveryBf16) {
  const Buffer<Bf16> from(all_bf16());
  const Buffer<float> to(from.size());
  unpack_kernel<<<blocks_of(to.size() / 8), kThreads>>>(from.data(), to.data(), to.size() / 8);
  const std::vector<float> found = to.get();
  for (std::uint32_t bits = 0; bits < found.size(); ++bits) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(found[bits]), bits << 16);
  }
}

// Each bf16, what lies halfway to the next, and the neighbours of that half.
std::vector<float> rounding_cases() {
  std::vector<float> cases;
  for (std::uint32_t upper = 0; upper < 1U << 16; upper += 3) {
    for (const std::uint32_t lower : {0x0000U, 0x7fffU, 0x8000U, 0x8001U}) {
      cases.push_back(std::bit_cast<float>(upper << 16 | lower));
    }
  }
  while (cases.size() % 8 != 0) cases.push_back(0);
  return cases;
}

TEST(CudaVector, PacksBf16AsTheHostDoes) {
  const std::vector<float> values = rounding_cases();
  const Buffer<float> from(values);
  const Buffer<Bf16> to(values.size());
  pack_kernel<<<blocks_of(to.size() / 8), kThreads>>>(from.data(), to.data(), to.size() / 8);
  const std::vector<Bf16> found = to.get();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(to_float(found[i])));
    } else {
      EXPECT_EQ(found[i].bits, to_bf16(values[i]).bits) << values[i];
    }
  }
}

TEST(CudaVector, CarriesF32Unchanged) {
  std::vector<float> values(4 * 1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1F * static_cast<float>(i) - 7;
  const Buffer<float> from(values), through(values.size()), to(values.size());
  unpack_kernel<<<blocks_of(1000), kThreads>>>(from.data(), through.data(), 1000U);
  pack_kernel<<<blocks_of(1000), kThreads>>>(through.data(), to.data(), 1000U);
  EXPECT_EQ(to.get(), values);
}

__global__ void divide_kernel(Divider by, const unsigned* from, unsigned* quotient,
                              unsigned* remainder, unsigned count) {
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  if (index >= count) return;
  quotient[index] = by.quotient(from[index]);
  remainder[index] = by.remainder(from[index]);
}

TEST(CudaDivider, EqualsDivision) {
  const std::vector<unsigned> divisors = {1, 2, 3, 7, 64, 127, 129, 1021, 3584, 65537, 0x7fffffff};
  std::vector<unsigned> dividends = {0, 1, 0x7fffffff, 0x7ffffffe};
  for (const unsigned d : divisors) {
    for (const unsigned times : {1U, 2U, 3U, 1000U}) {
      if (std::uint64_t{d} * times > 0x7fffffff) continue;
      dividends.insert(dividends.end(), {d * times - 1, d * times, d * times / 2});
    }
  }
  const Buffer<unsigned> from(dividends), quotient(dividends.size()), remainder(dividends.size());
  for (const unsigned d : divisors) {
    divide_kernel<<<blocks_of(from.size()), kThreads>>>(Divider(d), from.data(), quotient.data(),
                                                        remainder.data(), from.size());
    const auto quotients = quotient.get(), remainders = remainder.get();
    for (std::size_t i = 0; i < dividends.size(); ++i) {
      EXPECT_EQ(quotients[i], dividends[i] / d) << dividends[i] << " / " << d;
      EXPECT_EQ(remainders[i], dividends[i] % d) << dividends[i] << " % " << d;
    }
  }
}

__global__ void special_kernel(const float* x, float* power, float* reciprocal, unsigned count) {
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  if (index >= count) return;
  power[index] = ptx::ex2(x[index]);
  reciprocal[index] = ptx::rcp(x[index]);
}

TEST(CudaPtx, ApproximationsKeepTheirErrorBounds) {
  std::vector<float> values;
  for (int i = -1200; i < 1200; ++i) values.push_back(0.1F * static_cast<float>(i) + 0.037F);
  const Buffer<float> x(values), power(values.size()), reciprocal(values.size());
  special_kernel<<<blocks_of(values.size()), kThreads>>>(x.data(), power.data(), reciprocal.data(),
                                                         values.size());
  const auto powers = power.get(), reciprocals = reciprocal.get();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double two_to_x = std::exp2(static_cast<double>(values[i]));
    EXPECT_NEAR(powers[i], two_to_x, two_to_x * 0x1p-22) << values[i];
    EXPECT_NEAR(reciprocals[i] * static_cast<double>(values[i]), 1, 0x1p-22) << values[i];
  }
}

TEST(CudaPtx, ApproximationsKnowTheirLimits) {
  const Buffer<float> x(std::vector<float>{1000, -1000, INFINITY, -INFINITY, NAN});
  const Buffer<float> power(5), reciprocal(5);
  special_kernel<<<1, kThreads>>>(x.data(), power.data(), reciprocal.data(), 5U);
  const auto powers = power.get(), reciprocals = reciprocal.get();
  EXPECT_EQ(powers[0], INFINITY);
  EXPECT_EQ(powers[1], 0);
  EXPECT_EQ(powers[2], INFINITY);
  EXPECT_EQ(powers[3], 0);
  EXPECT_TRUE(std::isnan(powers[4]));
  EXPECT_EQ(reciprocals[2], 0);
  EXPECT_TRUE(std::isnan(reciprocals[4]));
}

}  // namespace
}  // namespace gk
