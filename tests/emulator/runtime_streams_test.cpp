// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/program.hpp"

namespace gk::emulator {
namespace {

class EmulatedStreams : public EmulatedTest {
 protected:
  static cudaStream_t stream(unsigned flags = cudaStreamDefault) {
    cudaStream_t made = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&made, flags), cudaSuccess);
    return made;
  }
  // Adds one where it runs.
  static cudaError_t count(cudaStream_t where, int& counter) {
    return cudaLaunchHostFunc(
        where, [](void* data) { ++*static_cast<int*>(data); }, &counter);
  }
};

TEST_F(EmulatedStreams, RunWhatTheyAreGivenAtOnce) {
  int runs = 0;
  EXPECT_EQ(count(stream(), runs), cudaSuccess);
  EXPECT_EQ(count(nullptr, runs), cudaSuccess);
  EXPECT_EQ(count(cudaStreamPerThread, runs), cudaSuccess);
  EXPECT_EQ(runs, 3);
}

TEST_F(EmulatedStreams, WhatAHostFunctionThrowsDoesNotReachTheCaller) {
  testing::internal::CaptureStderr();
  cudaError_t error = cudaSuccess;
  EXPECT_NO_THROW(error = cudaLaunchHostFunc(
                      stream(), [](void* /*data*/) { throw 7; }, nullptr));
  EXPECT_EQ(error, cudaErrorUnknown);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "emulator: a host function threw what is no std::exception\n");
  EXPECT_EQ(cudaGetLastError(), cudaErrorUnknown);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(EmulatedStreams, CopiesGoThroughThem) {
  void* device = nullptr;
  const int sent = 7;
  int received = 0;
  const cudaStream_t where = stream(cudaStreamNonBlocking);
  EXPECT_EQ(cudaMallocAsync(&device, 8, where), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(device, 0, 8, where), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(device, &sent, 4, cudaMemcpyHostToDevice, where), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(&received, device, 4, cudaMemcpyDeviceToHost, where), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(device, where), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(where), cudaSuccess);
  EXPECT_EQ(received, sent);
}

TEST_F(EmulatedStreams, DestroyedAndInventedHandlesAreRefused) {
  const cudaStream_t gone = stream();
  EXPECT_EQ(cudaStreamDestroy(gone), cudaSuccess);
  EXPECT_NE(stream(), gone);
  int runs = 0;
  EXPECT_EQ(count(gone, runs), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(&runs)),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(runs, 0);
}

TEST_F(EmulatedStreams, UnknownFlagsAreRefused) {
  cudaStream_t made = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&made, 8), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, -99), cudaSuccess);
}

TEST_F(EmulatedStreams, SynchronisingACapturingStreamSpoilsTheCapture) {
  const cudaStream_t where = stream();
  EXPECT_EQ(cudaStreamBeginCapture(where, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(where), cudaErrorStreamCaptureUnsupported);
  cudaStreamCaptureStatus status{};
  EXPECT_EQ(cudaStreamIsCapturing(where, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
  int runs = 0;
  EXPECT_EQ(count(where, runs), cudaErrorStreamCaptureInvalidated);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(where, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(count(where, runs), cudaSuccess);
  EXPECT_EQ(runs, 1);
}

TEST_F(EmulatedStreams, CallsThatWaitForTheDeviceSpoilACapture) {
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  int host = 0;
  const cudaStream_t where = stream();
  const auto during_capture = [&](auto call) {
    EXPECT_EQ(cudaStreamBeginCapture(where, cudaStreamCaptureModeGlobal), cudaSuccess);
    const cudaError_t error = call();
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(where, &graph), cudaErrorStreamCaptureInvalidated);
    return error;
  };
  EXPECT_EQ(during_capture([] { return cudaDeviceSynchronize(); }),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(during_capture([&] { return cudaMalloc(&device, 4); }),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(during_capture([&] { return cudaMemcpy(device, &host, 4, cudaMemcpyDefault); }),
            cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(during_capture([&] { return cudaMemsetAsync(device, 0, 4, nullptr); }),
            cudaErrorStreamCaptureImplicit);
}

TEST_F(EmulatedStreams, RelaxedCapturesAllowAllocation) {
  const cudaStream_t where = stream();
  EXPECT_EQ(cudaStreamBeginCapture(where, cudaStreamCaptureModeRelaxed), cudaSuccess);
  void* device = nullptr;
  EXPECT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(where, &graph), cudaSuccess);
}

}  // namespace
}  // namespace gk::emulator
