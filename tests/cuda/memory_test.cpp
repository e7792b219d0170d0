// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "gk/check.hpp"
#include "gk/cuda_memory.hpp"

namespace gk {
namespace {

constexpr std::int64_t kLimit = std::int64_t{1} << 24;

std::vector<Bf16> fetched(const Tensor& tensor) {
  std::vector<Bf16> values(static_cast<std::size_t>(tensor.size()));
  copy_to_host(tensor, values.data());
  return values;
}

Tensor tensor_in(Memory& memory, DType dtype, std::int64_t rows, std::int64_t cols) {
  Tensor made{.data = nullptr, .dtype = dtype, .rows = rows, .cols = cols};
  made.data = memory.allocate(made.bytes());
  return made;
}

TEST(CudaMemory, GeneratesWhatTheHostDoes) {
  CudaMemory memory(kLimit);
  HostMemory host(kLimit);
  const Tensor there = tensor_in(memory, DType::kBf16, 7, 1001);
  const Tensor here = tensor_in(host, DType::kBf16, 7, 1001);
  memory.generate(there, 42, 3.0F);
  host.generate(here, 42, 3.0F);
  const auto values = fetched(there);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i].bits, here.as<Bf16>()[i].bits);
}

TEST(CudaMemory, PoisonIsNan) {
  CudaMemory memory(kLimit);
  const Tensor tensor = tensor_in(memory, DType::kBf16, 1, 33);
  memory.poison(tensor);
  for (const Bf16 value : fetched(tensor)) EXPECT_TRUE(std::isnan(to_float(value)));
}

TEST(CudaMemory, CountsAndForgets) {
  CudaMemory memory(1000);
  EXPECT_EQ(memory.available_bytes(), 1000);
  memory.allocate(100);
  const std::int64_t mark = memory.mark();
  {
    const Release scope(memory);
    memory.allocate(900);
    EXPECT_EQ(memory.available_bytes(), 0);
    EXPECT_THROW(memory.allocate(1), OutOfMemory);
  }
  EXPECT_EQ(memory.mark(), mark);
  EXPECT_EQ(memory.available_bytes(), 900);
}

TEST(CudaMemory, AlignsForVectors) {
  CudaMemory memory(kLimit);
  for (const std::int64_t bytes : {1, 3, 100}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.allocate(bytes)) % 256, 0U);
  }
}

TEST(CudaMemory, BringsASetToTheHost) {
  CudaMemory memory(kLimit);
  HostMemory host(kLimit);
  Scratch scratch(memory), host_scratch(host);
  Arena there(memory, scratch, 3), here(host, host_scratch, 3);
  for (Arena* arena : {&there, &here}) {
    arena->input("x", DType::kF32, 3, 17);
    arena->output("y", DType::kF32, 3, 17);
  }
  check(cudaMemset(there.outputs()[0].data, 0, 4 * 17 * 3));
  copy_to_host(there, here);
  EXPECT_TRUE(here.inputs_intact());
  EXPECT_EQ(element(here.outputs()[0], 2, 16), 0);
}

TEST(CudaCheck, NamesTheErrorAndThePlace) {
  try {
    check(cudaErrorInvalidValue);
    FAIL() << "nothing was thrown";
  } catch (const CudaError& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.status, cudaErrorInvalidValue);
    EXPECT_NE(text.find("cudaErrorInvalidValue"), std::string::npos) << text;
    EXPECT_NE(text.find("memory_test.cpp:"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace gk
