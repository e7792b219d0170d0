// SPDX-License-Identifier: Apache-2.0
// gtest's main for programs that need a CUDA device. Without one nothing is run, which is said; the
// exit code is the one that tests.cmake calls a skip.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>

namespace gk::emulator {

[[gnu::weak]] void reset();  // null in gk_test_cuda

}  // namespace gk::emulator

namespace {

constexpr int kSkipped = 77;

// A fault stays with the context, and would fail every test after the one that made it. On a GPU
// only a new process helps.
class NewContextAfterFailure final : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Failed() && gk::emulator::reset != nullptr) gk::emulator::reset();
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if ((status != cudaSuccess || devices == 0) && !testing::GTEST_FLAG(list_tests)) {
    std::printf("SKIPPED: no CUDA device: %s\n", cudaGetErrorString(status));
    return kSkipped;
  }
  testing::UnitTest::GetInstance()->listeners().Append(new NewContextAfterFailure);
  return RUN_ALL_TESTS();
}
