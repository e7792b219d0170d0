// SPDX-License-Identifier: Apache-2.0
// Capture turns calls into a graph, which here is the list of them.
#include <algorithm>
#include <utility>

#include "emulator/runtime/call.hpp"

using namespace gk::emulator::runtime;  // NOLINT(google-build-using-namespace): C entry points

namespace {

void begin_capture(Stream& stream, cudaStreamCaptureMode mode) {
  if (&stream == &context().legacy) {
    throw Refusal(cudaErrorStreamCaptureUnsupported, "the legacy stream cannot capture");
  }
  if (stream.capture) throw Refusal(cudaErrorIllegalState, "this stream captures already");
  stream.capture = std::make_shared<Capture>(Capture{.mode = mode,
                                                     .thread = std::this_thread::get_id(),
                                                     .origin = &stream,
                                                     .operations = {},
                                                     .recorded = {}});
  stream.before.clear();
}

// Each stream's last operation must come before the end of the stream that began.
bool all_joined(const Capture& capture, const Progress& end) {
  return std::ranges::all_of(capture.recorded, [&](const auto& entry) {
    const auto seen = end.find(entry.first);
    return seen != end.end() && seen->second >= entry.second;
  });
}

cudaGraph_t end_capture(Stream& stream) {
  const auto capture = stream.capture;
  if (!capture) throw Refusal(cudaErrorIllegalState, "this stream does not capture");
  if (capture->origin != &stream) {
    capture->valid = false;
    throw Refusal(cudaErrorStreamCaptureUnmatched, "the capture began in another stream");
  }
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id()) {
    throw Refusal(cudaErrorStreamCaptureWrongThread, "the capture began in another thread");
  }
  const Progress end = stream.before;
  close(capture);
  if (!capture->valid) {
    throw Refusal(cudaErrorStreamCaptureInvalidated, "the capture was spoilt by an earlier call");
  }
  if (!all_joined(*capture, end)) {
    throw Refusal(cudaErrorStreamCaptureUnjoined,
                  "a stream that joined the capture was not waited for before its end");
  }
  return context().graphs.add({std::make_shared<Operations>(std::move(capture->operations))});
}

void run_all(const Operations& operations) {
  for (const Operation& operation : operations) operation();
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call([&] { begin_capture(stream_of(stream), mode); });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call([&] {
    if (graph == nullptr) throw Refusal(cudaErrorInvalidValue, "there is no place for the graph");
    *graph = nullptr;
    *graph = end_capture(stream_of(stream));
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call([&] {
    if (status == nullptr) throw Refusal(cudaErrorInvalidValue);
    const Stream& stream = stream_of(handle);
    *status = !stream.capture         ? cudaStreamCaptureStatusNone
              : stream.capture->valid ? cudaStreamCaptureStatusActive
                                      : cudaStreamCaptureStatusInvalidated;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return call([&] {
    if (exec == nullptr) throw Refusal(cudaErrorInvalidValue);
    if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) {
      throw Refusal(cudaErrorNotSupported, "graphs launched by kernels are not emulated");
    }
    *exec = context().execs.add({context().graphs.at(graph).operations});
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return call([&] {
    context().execs.at(exec);
    refuse_while_capturing(stream_of(stream));
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return call([&] {
    // Into a capturing stream it becomes a part of the new graph.
    submit(stream, [operations = context().execs.at(exec).operations] { run_all(*operations); });
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return call([&] {
    if (count == nullptr) throw Refusal(cudaErrorInvalidValue);
    const std::size_t size = context().graphs.at(graph).operations->size();
    if (nodes != nullptr) throw Refusal(cudaErrorNotSupported, "only their number is emulated");
    *count = size;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return release([&] { context().execs.remove(exec); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return release([&] { context().graphs.remove(graph); });
}
