// SPDX-License-Identifier: Apache-2.0
// Which calls a capture takes, which it refuses, and which spoil it.
#include <string>
#include <utility>
#include <vector>

#include "emulator/runtime/context.hpp"
#include "emulator/runtime/stream.hpp"

namespace gk::emulator::runtime {
namespace {

std::vector<Capture*> open_captures() {
  std::vector<Capture*> captures;
  Context& state = context();
  if (state.per_thread.capture) captures.push_back(state.per_thread.capture.get());
  for (auto& [key, stream] : state.streams) {
    if (stream.capture) captures.push_back(stream.capture.get());
  }
  return captures;
}

void record(Stream& stream, Operation operation) {
  Capture& capture = *stream.capture;
  if (!capture.valid) {
    throw Refusal(cudaErrorStreamCaptureInvalidated,
                  "the capture of this stream was spoilt by an earlier call");
  }
  capture.operations.push_back(std::move(operation));
  stream.before[&stream] = ++capture.recorded[&stream];
}

void leave(Stream& stream, const std::shared_ptr<Capture>& capture) {
  if (stream.capture != capture) return;
  stream.capture.reset();
  stream.before.clear();
}

}  // namespace

Stream& stream_of(cudaStream_t handle) {
  Context& state = context();
  if (handle == nullptr || handle == cudaStreamLegacy) return state.legacy;
  if (handle == cudaStreamPerThread) return state.per_thread;
  return state.streams.at(handle);
}

void refuse_legacy_while_capturing() {
  bool refused = false;
  for (Capture* capture : open_captures()) {
    // A GPU lets it pass for streams made with cudaStreamNonBlocking, and the graph then silently
    // lacks the operation: refused here for those too.
    if (capture->mode != cudaStreamCaptureModeGlobal) continue;
    capture->valid = false;
    refused = true;
  }
  if (refused) {
    throw Refusal(cudaErrorStreamCaptureImplicit,
                  "the legacy stream was used while another stream captures");
  }
}

void refuse_while_capturing() {
  bool refused = false;
  for (Capture* capture : open_captures()) {
    const bool own = capture->thread == std::this_thread::get_id();
    if (capture->mode == cudaStreamCaptureModeRelaxed) continue;
    if (capture->mode == cudaStreamCaptureModeThreadLocal && !own) continue;
    capture->valid = false;
    refused = true;
  }
  if (refused) {
    throw Refusal(cudaErrorStreamCaptureUnsupported,
                  "a call that may wait for the device was made while a stream captures");
  }
}

void refuse_while_capturing(const Stream& stream) {
  if (!stream.capture) return;
  stream.capture->valid = false;
  throw Refusal(cudaErrorStreamCaptureUnsupported, "a capturing stream cannot be waited for");
}

void submit(cudaStream_t handle, Operation operation) {
  Stream& stream = stream_of(handle);
  if (stream.capture) {
    record(stream, std::move(operation));
    return;
  }
  if (&stream == &context().legacy) refuse_legacy_while_capturing();
  operation();
}

void close(const std::shared_ptr<Capture>& capture) {
  capture->open = false;
  leave(context().per_thread, capture);
  for (auto& [key, stream] : context().streams) leave(stream, capture);
}

}  // namespace gk::emulator::runtime
