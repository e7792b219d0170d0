// SPDX-License-Identifier: Apache-2.0
// Events read a clock that stands still unless the program moves it (control.hpp).
#include "emulator/runtime/call.hpp"

using namespace gk::emulator::runtime;  // NOLINT(google-build-using-namespace): C entry points

namespace {

constexpr unsigned kKnownFlags = cudaEventBlockingSync | cudaEventDisableTiming;

// In a capture the event only orders streams: a replay does not record it, as on a GPU.
void record_in_capture(Event& event, const Stream& stream) {
  if (!stream.capture->valid) throw Refusal(cudaErrorStreamCaptureInvalidated);
  event.recorded = false;
  event.capture = stream.capture;
  event.before = stream.before;
}

void record_now(Event& event) {
  event.recorded = true;
  event.at_ns = context().clock_ns;
  event.capture.reset();
}

void refuse_captured(const Event& event) {
  if (!event.capture) return;
  if (event.capture->open) event.capture->valid = false;
  throw Refusal(cudaErrorCapturedEvent, "the event was last recorded in a capture");
}

const Event& timed(cudaEvent_t handle) {
  const Event& event = context().events.at(handle);
  if ((event.flags & cudaEventDisableTiming) != 0) {
    throw Refusal(cudaErrorInvalidResourceHandle, "the event was made without timing");
  }
  if (event.capture) {
    throw Refusal(cudaErrorInvalidResourceHandle,
                  "the event was last recorded in a capture, which takes no time");
  }
  if (!event.recorded) {
    throw Refusal(cudaErrorInvalidResourceHandle, "the event was never recorded");
  }
  return event;
}

}  // namespace

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call([&] {
    if (event == nullptr) throw Refusal(cudaErrorInvalidValue);
    if ((flags & ~kKnownFlags) != 0) {
      throw Refusal(cudaErrorNotSupported, "events between processes are not emulated");
    }
    *event = context().events.add({.flags = flags, .capture = {}, .before = {}});
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
  return call([&] {
    Event& event = context().events.at(handle);
    const Stream& where = stream_of(stream);
    if (where.capture) return record_in_capture(event, where);
    if (&where == &context().legacy) refuse_legacy_while_capturing();
    record_now(event);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call([&] { refuse_captured(context().events.at(event)); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call([&] {
    if (milliseconds == nullptr) throw Refusal(cudaErrorInvalidValue);
    const double nanoseconds = timed(end).at_ns - timed(start).at_ns;
    *milliseconds = static_cast<float>(nanoseconds * 1e-6);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return release([&] { context().events.remove(event); });
}
