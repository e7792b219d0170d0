// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/device_memory.hpp"
#include "tests/emulator/program.hpp"

namespace gk::emulator {
namespace {

class EmulatedGraphs : public EmulatedTest {
 protected:
  EmulatedGraphs() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
  }
  void begin() {
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  }
  cudaGraph_t end() {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    return graph;
  }
  static cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t exec = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    return exec;
  }
  cudaError_t count(cudaStream_t where) {
    return cudaLaunchHostFunc(
        where, [](void* data) { ++*static_cast<int*>(data); }, &runs);
  }
  cudaStream_t stream = nullptr, side = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr;
  int runs = 0;
};

TEST_F(EmulatedGraphs, CaptureRunsNothingAndReplayRunsAll) {
  begin();
  count(stream);
  count(stream);
  const cudaGraph_t graph = end();
  EXPECT_EQ(runs, 0);
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_EQ(cudaGraphUpload(exec, stream), cudaSuccess);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  EXPECT_EQ(runs, 6);
  std::size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 2U);
}

TEST_F(EmulatedGraphs, ExecsOutliveTheirGraph) {
  begin();
  count(stream);
  const cudaGraph_t graph = end();
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  EXPECT_EQ(runs, 1);
}

TEST_F(EmulatedGraphs, CapturesFollowEventsIntoOtherStreams) {
  begin();
  EXPECT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
  count(side);
  count(stream);
  EXPECT_EQ(cudaEventRecord(join, side), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream, join, 0), cudaSuccess);
  const cudaGraphExec_t exec = instantiate(end());
  EXPECT_EQ(runs, 0);
  count(side);  // the capture ended for it as well
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  EXPECT_EQ(runs, 3);
}

TEST_F(EmulatedGraphs, WorkThatIsNotJoinedIsAnError) {
  begin();
  EXPECT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(join, side), cudaSuccess);
  count(side);  // after what join stands for
  EXPECT_EQ(cudaStreamWaitEvent(stream, join, 0), cudaSuccess);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
}

TEST_F(EmulatedGraphs, CapturesEndWhereTheyBegan) {
  begin();
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  EXPECT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(side, &graph), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
}

TEST_F(EmulatedGraphs, TheLegacyStreamCannotCapture) {
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, fork, 0), cudaErrorStreamCaptureImplicit);
}

TEST_F(EmulatedGraphs, CapturesDependOnNothingOutside) {
  EXPECT_EQ(cudaEventRecord(fork, side), cudaSuccess);
  begin();
  EXPECT_EQ(cudaStreamWaitEvent(stream, fork, 0), cudaErrorStreamCaptureIsolation);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_F(EmulatedGraphs, TwoCapturesCannotMerge) {
  begin();
  EXPECT_EQ(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaErrorStreamCaptureMerge);
}

TEST_F(EmulatedGraphs, AGraphLaunchedIntoACaptureBecomesAPartOfIt) {
  begin();
  count(stream);
  const cudaGraphExec_t inner = instantiate(end());
  begin();
  EXPECT_EQ(cudaGraphLaunch(inner, stream), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(inner, stream), cudaSuccess);
  const cudaGraphExec_t outer = instantiate(end());
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(cudaGraphLaunch(outer, stream), cudaSuccess);
  EXPECT_EQ(runs, 2);
}

TEST_F(EmulatedGraphs, ReplaysSeeMemoryThatWasFreed) {
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  begin();
  EXPECT_EQ(cudaMemsetAsync(device, 0, 4, stream), cudaSuccess);
  const cudaGraphExec_t exec = instantiate(end());
  EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
}

// The kernel writes 7 into the variable, so both must outlive their program.
TEST_F(EmulatedGraphs, ReplaysKeepTheCodeOfUnregisteredPrograms) {
  const std::uint64_t before = DeviceMemory::instance().live_bytes();
  void* value = nullptr;
  begin();
  {
    Program program(
        ".version 9.0\n.target sm_90a\n.address_size 64\n"
        ".visible .global .align 4 .u32 value;\n"
        ".visible .entry set()\n{\n\t.reg .b32 %r<2>;\n\tmov.u32 %r1, 7;\n"
        "\tst.global.u32 [value], %r1;\n\tret;\n}\n");
    EXPECT_EQ(cudaLaunchKernel(program.kernel("set"), 1, 1, nullptr, 0, stream), cudaSuccess);
    EXPECT_EQ(cudaGetSymbolAddress(&value, program.variable("value", 4)), cudaSuccess);
  }
  const cudaGraph_t graph = end();
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  std::uint32_t read = 0;
  EXPECT_EQ(cudaMemcpy(&read, value, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(read, 7U);
  EXPECT_EQ(DeviceMemory::instance().live_bytes(), before + 4);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(DeviceMemory::instance().live_bytes(), before);
}

TEST_F(EmulatedGraphs, DestroyedHandlesAreRefused) {
  begin();
  const cudaGraph_t graph = end();
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidResourceHandle);
  cudaGraphExec_t none = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&none, graph, 0), cudaErrorInvalidResourceHandle);
}

TEST_F(EmulatedGraphs, ADestroyedStreamEndsItsCapture) {
  begin();
  EXPECT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(count(side), cudaSuccess);
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace gk::emulator
