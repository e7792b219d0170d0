// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/program.hpp"

namespace gk::emulator {
namespace {

class EmulatedEvents : public EmulatedTest {
 protected:
  static cudaEvent_t event(unsigned flags = cudaEventDefault) {
    cudaEvent_t made = nullptr;
    EXPECT_EQ(cudaEventCreateWithFlags(&made, flags), cudaSuccess);
    return made;
  }
  cudaEvent_t start = event(), stop = event();
  float milliseconds = -1;
};

TEST_F(EmulatedEvents, TheClockStandsStillUnlessItIsMoved) {
  EXPECT_EQ(cudaEventRecord(start, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(stop, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
  EXPECT_EQ(milliseconds, 0);
  advance_clock(1.5e6);
  EXPECT_EQ(cudaEventRecord(stop, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, 1.5F);
}

TEST_F(EmulatedEvents, LaunchesTakeTheTimeThatIsSet) {
  Program program(module_text("empty"));
  const void* const kernel = program.kernel("empty");
  set_launch_nanoseconds(2e6);
  EXPECT_EQ(cudaEventRecord(start, nullptr), cudaSuccess);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cudaLaunchKernel(kernel, 1, 32, nullptr, 0, nullptr), cudaSuccess);
  }
  EXPECT_EQ(cudaEventRecord(stop, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, 6);
}

TEST_F(EmulatedEvents, UnrecordedEventsHaveNoTime) {
  EXPECT_EQ(cudaEventRecord(start, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventQuery(stop), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(stop), cudaSuccess);
}

TEST_F(EmulatedEvents, EventsRecordedInACaptureHaveNoTime) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(start, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(stop, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventSynchronize(stop), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaEventRecord(stop, stream), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
}

TEST_F(EmulatedEvents, EventsWithoutTimingHaveNoTime) {
  const cudaEvent_t untimed = event(cudaEventDisableTiming);
  EXPECT_EQ(cudaEventRecord(start, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(untimed, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle);
}

TEST_F(EmulatedEvents, DestroyedHandlesAreRefused) {
  EXPECT_EQ(cudaEventDestroy(stop), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(stop), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(stop, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, stop, 0), cudaErrorInvalidResourceHandle);
}

}  // namespace
}  // namespace gk::emulator
