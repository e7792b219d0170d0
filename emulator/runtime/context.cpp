// SPDX-License-Identifier: Apache-2.0
#include "emulator/runtime/context.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "emulator/memory/device_memory.hpp"

namespace gk::emulator::runtime {
namespace {

constexpr std::size_t kMostLines = 10;

std::vector<std::string> leaks() {
  Context& state = context();
  std::string text = DeviceMemory::instance().leaks();
  for (const auto& [address, bytes] : state.pinned) {
    text += std::to_string(bytes) + " bytes of pinned host memory\n";
  }
  text += state.streams.leaks() + state.events.leaks() + state.graphs.leaks() + state.execs.leaks();
  std::istringstream lines(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(std::move(line));
  return all;
}

// The exit status cannot be asked here, so a process that leaks always ends with 1.
void report_leaks() {
  const std::vector<std::string> all = leaks();
  if (all.empty()) return;
  for (std::size_t i = 0; i < all.size() && i < kMostLines; ++i) {
    std::fprintf(stderr, "emulator: %zu leaked: %s\n", all.size(), all[i].c_str());
  }
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace

void Context::free_all() {
  DeviceMemory::instance().reset();
  for (const auto& [address, bytes] : pinned) std::free(address);
  pinned.clear();
  legacy = per_thread = {};
  streams.clear();
  events.clear();
  graphs.clear();
  execs.clear();
}

Context& context() {
  static Context* const state = [] {
    // Registered before any object of the program's own is made, so it runs after their
    // destructors.
    std::atexit(report_leaks);
    return new Context;
  }();
  return *state;
}

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

}  // namespace gk::emulator::runtime
