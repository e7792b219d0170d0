// SPDX-License-Identifier: Apache-2.0
// The stream calls, but for capture (graphs.cpp).
#include <algorithm>

#include "emulator/runtime/call.hpp"

using namespace gk::emulator::runtime;  // NOLINT(google-build-using-namespace): C entry points

namespace {

// As an H100 has them: 0 is the least, -5 the greatest.
constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

void wait_in_capture(Stream& stream, const Event& event) {
  if (!stream.capture) stream.capture = event.capture;
  if (stream.capture != event.capture) {
    stream.capture->valid = event.capture->valid = false;
    throw Refusal(cudaErrorStreamCaptureMerge, "the event belongs to another capture");
  }
  for (const auto& [other, count] : event.before) {
    stream.before[other] = std::max(stream.before[other], count);
  }
}

void wait_for(Stream& stream, const Event& event) {
  if (event.capture && event.capture->open) {
    if (&stream == &context().legacy) {
      event.capture->valid = false;
      throw Refusal(cudaErrorStreamCaptureImplicit, "the legacy stream cannot join a capture");
    }
    wait_in_capture(stream, event);
  } else if (stream.capture && (event.recorded || event.capture)) {
    stream.capture->valid = false;
    throw Refusal(cudaErrorStreamCaptureIsolation,
                  "a capturing stream cannot wait for an event recorded outside its capture");
  } else if (event.capture) {
    throw Refusal(cudaErrorCapturedEvent, "the event was last recorded in a capture");
  }
  // Everything that was recorded before has run: streams run at once.
}

}  // namespace

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return call([&] {
    if (stream == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) {
      throw Refusal(cudaErrorInvalidValue, "a stream's flags are 0 or cudaStreamNonBlocking");
    }
    // Out of the range means the nearest, as documented.
    const int clamped = std::clamp(priority, kGreatestPriority, kLeastPriority);
    *stream = context().streams.add({flags, clamped, {}, {}});
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, kLeastPriority);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, kLeastPriority);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&] {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return release([&] {
    const Stream& going = context().streams.at(stream);
    if (const auto capture = going.capture) {
      capture->valid = false;
      if (capture->origin == &going) close(capture);  // nobody could end it
    }
    context().streams.remove(stream);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call([&] {
    const Stream& waited = stream_of(stream);
    refuse_while_capturing(waited);
    if (&waited == &context().legacy) refuse_legacy_while_capturing();
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return call([&] {
    if (flags != cudaEventWaitDefault) {
      throw Refusal(cudaErrorNotSupported, "cudaStreamWaitEvent is emulated without flags");
    }
    wait_for(stream_of(stream), context().events.at(event));
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call([&] {
    if (function == nullptr) throw Refusal(cudaErrorInvalidValue, "the host function is null");
    submit(stream, [=] { function(data); });
  });
}
