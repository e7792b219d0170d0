// SPDX-License-Identifier: Apache-2.0
// Variables that live on the device, and parameters of every kind.
#include <gtest/gtest.h>

#include "gk/dtype.hpp"
#include "gk/vector.cuh"
#include "tests/cuda/device.hpp"

namespace gk {
namespace {

using cuda_test::Buffer;

__constant__ float weights[4] = {0.5F, 1.5F, -2.0F};  // the fourth is 0
__constant__ double offset;
__device__ int table[16] = {10, 20, 30, 40};
__device__ int* pointer_to_table = table + 2;
__device__ unsigned calls;

__global__ void read_kernel(float* weight, double* sum, int* entry) {
  const unsigned i = threadIdx.x;
  if (i < 4) weight[i] = weights[i];
  if (i < 16) entry[i] = table[i];
  if (i == 0) *sum = offset + *pointer_to_table;
  atomicAdd(&calls, 1U);
}

TEST(CudaVariables, StartAsTheyWereWritten) {
  const Buffer<float> weight(4);
  const Buffer<double> sum(1);
  const Buffer<int> entry(16);
  const double quarter = 0.25;
  check(cudaMemcpyToSymbol(offset, &quarter, sizeof quarter));
  read_kernel<<<1, 32>>>(weight.data(), sum.data(), entry.data());
  EXPECT_EQ(weight.get(), (std::vector<float>{0.5F, 1.5F, -2.0F, 0}));
  EXPECT_EQ(sum.get()[0], 30.25);
  const auto entries = entry.get();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(entries[i], i < 4 ? 10 * (i + 1) : 0);
}

TEST(CudaVariables, AreCopiedFromAndToByName) {
  const unsigned start = 1000;
  check(cudaMemcpyToSymbol(calls, &start, sizeof start));
  const Buffer<float> weight(4);
  const Buffer<double> sum(1);
  const Buffer<int> entry(16);
  read_kernel<<<1, 96>>>(weight.data(), sum.data(), entry.data());
  unsigned count = 0;
  check(cudaMemcpyFromSymbol(&count, calls, sizeof count));
  EXPECT_EQ(count, 1096U);
  const int one = 7;
  check(cudaMemcpyToSymbol(table, &one, sizeof one, 5 * sizeof one));
  int two[2] = {};
  check(cudaMemcpyFromSymbol(two, table, sizeof two, 4 * sizeof one));
  EXPECT_EQ(two[0], 0);
  EXPECT_EQ(two[1], 7);
  const int zero = 0;
  check(cudaMemcpyToSymbol(table, &zero, sizeof zero, 5 * sizeof zero));
}

TEST(CudaVariables, HaveAddresses) {
  void* address = nullptr;
  check(cudaGetSymbolAddress(&address, table));
  int entry = 0;
  check(cudaMemcpy(&entry, static_cast<int*>(address) + 3, sizeof entry, cudaMemcpyDeviceToHost));
  EXPECT_EQ(entry, 40);
}

struct Mixed {
  const float* from;
  float* to;
  int count;
  Bf16 scale;
  char letter;
  double bias;
  float factor;
};

struct Bytes {
  unsigned char byte[300];
};

__global__ void struct_kernel(Mixed mixed, bool add_letter) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= mixed.count) return;
  float value = mixed.from[i] * to_f32(mixed.scale) * mixed.factor;
  if (add_letter) value += mixed.letter;
  mixed.to[i] = value + static_cast<float>(mixed.bias);
}

TEST(CudaParameters, ArriveInStructures) {
  const Buffer<float> from(std::vector<float>(100, 3.0F)), to(100);
  for (const bool add_letter : {false, true}) {
    const Mixed mixed{from.data(), to.data(), 100, to_bf16(0.5F), 'A', 0.125, 4.0F};
    struct_kernel<<<2, 64>>>(mixed, add_letter);
    EXPECT_EQ(to.get(), std::vector<float>(100, add_letter ? 71.125F : 6.125F));
  }
}

__global__ void scalars_kernel(char a, double b, short c, float d, bool e, long long f, float3 g,
                               double* to) {
  to[0] = a;
  to[1] = b;
  to[2] = c;
  to[3] = d;
  to[4] = e;
  to[5] = static_cast<double>(f);
  to[6] = g.x + 10 * g.y + 100 * g.z;
}

TEST(CudaParameters, ArriveOneByOne) {
  const Buffer<double> to(7);
  scalars_kernel<<<1, 1>>>('z', 1e-300, short{-5}, 0.5F, true, -(1LL << 40), make_float3(1, 2, 3),
                           to.data());
  EXPECT_EQ(to.get(), (std::vector<double>{'z', 1e-300, -5, 0.5, 1, -0x1p40, 321}));
}

__global__ void bytes_kernel(Bytes bytes, unsigned char* to) {
  to[threadIdx.x] = bytes.byte[299 - threadIdx.x];
}

TEST(CudaParameters, MayBeIndexed) {
  Bytes bytes{};
  for (int i = 0; i < 300; ++i) bytes.byte[i] = static_cast<unsigned char>(i * 7);
  const Buffer<unsigned char> to(300);
  bytes_kernel<<<1, 300>>>(bytes, to.data());
  const auto found = to.get();
  for (int i = 0; i < 300; ++i) EXPECT_EQ(found[i], bytes.byte[299 - i]) << i;
}

}  // namespace
}  // namespace gk
