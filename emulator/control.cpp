// SPDX-License-Identifier: Apache-2.0
#include "emulator/control.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "emulator/counters.hpp"
#include "emulator/runtime/context.hpp"

namespace gk::emulator {
namespace {

bool read_order(std::string_view text, Options& options) {
  if (text == "forward" || text == "reverse") {
    options.order = text == "forward" ? Order::kForward : Order::kReverse;
    return true;
  }
  constexpr std::string_view kRandomWord = "random";
  if (!text.starts_with(kRandomWord)) return false;
  options.order = Order::kRandom;
  text.remove_prefix(kRandomWord.size());
  if (text.empty()) return true;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + 1, end, options.seed);
  return text.front() == ':' && read.ec == std::errc() && read.ptr == end;
}

bool read_limit(std::string_view text, Options& options) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, options.instruction_limit);
  return read.ec == std::errc() && read.ptr == end && options.instruction_limit > 0;
}

// The first call of the runtime may be anywhere, so there is nobody to throw to.
void read_variable(const char* name, const char* expected, bool (*read)(std::string_view, Options&),
                   Options& options) {
  const char* const text = std::getenv(name);
  if (text == nullptr || read(text, options)) return;
  std::fprintf(stderr, "emulator: %s is \"%s\", not %s\n", name, text, expected);
  std::fflush(nullptr);
  std::_Exit(2);
}

Options from_environment() {
  Options options;
  read_variable("GK_EMULATOR_ORDER", "forward, reverse or random[:SEED]", read_order, options);
  read_variable("GK_EMULATOR_LIMIT", "a number of warp instructions from 1 to 2^64 - 1", read_limit,
                options);
  return options;
}

struct Counters {
  std::mutex mutex;
  Executed executed{};
};

Counters& counters() {
  static Counters* const all = new Counters;
  return *all;
}

}  // namespace

Options& options() {
  static Options* const all = new Options(from_environment());
  return *all;
}

const std::optional<Fault>& last_fault() { return runtime::context().fault; }

void reset() {
  runtime::Context& context = runtime::context();
  const std::scoped_lock lock(context.mutex);
  context.free_all();
  context.fault.reset();
  context.sticky = cudaSuccess;
  runtime::last_error() = cudaSuccess;
}

void advance_clock(double nanoseconds) { runtime::context().clock_ns += nanoseconds; }

void set_launch_nanoseconds(double nanoseconds) { runtime::context().launch_ns = nanoseconds; }

void count(std::uint64_t thread_instructions, std::uint64_t warp_instructions, double seconds) {
  const std::scoped_lock lock(counters().mutex);
  Executed& executed = counters().executed;
  ++executed.launches;
  executed.thread_instructions += thread_instructions;
  executed.warp_instructions += warp_instructions;
  executed.seconds += seconds;
}

Executed executed() {
  const std::scoped_lock lock(counters().mutex);
  return counters().executed;
}

}  // namespace gk::emulator
