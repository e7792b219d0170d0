// SPDX-License-Identifier: Apache-2.0
// Runs a few PTX instructions, one thread per value. They find their operands in %a, %b, %c, %d and
// leave their result in %o, which holds kUntouched before; %lane is the thread's number, and
// %p<4>, %h<4> (16 bits), %r<4> (32), %w<4> (64) are free.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "emulator/fault.hpp"
#include "emulator/interpreter/launch.hpp"
#include "emulator/memory/device_memory.hpp"

namespace gk::emulator {

constexpr unsigned char kUntouched = 0xA5;  // every byte of a result that nobody wrote

template <class T>
T untouched() {
  T value;
  std::memset(&value, kUntouched, sizeof(value));
  return value;
}

class Snippet {
 public:
  explicit Snippet(std::string body) : body_(std::move(body)) {}

  template <class To, class... From>
  std::vector<To> run(const std::vector<From>&... operands) {
    const std::size_t count = std::max({operands.size()...});
    std::vector<To> result(count, untouched<To>());
    bind("o", "out", result);
    store_ = " st.global.b" + std::to_string(8 * sizeof(To)) + " [%at_out], %o;\n";
    static constexpr const char* kNames[] = {"a", "b", "c", "d"};
    std::size_t next = 0;
    (
        [&] {
          const char* name = kNames[next++];
          bind(name, name, operands);
        }(),
        ...);
    launch(static_cast<std::uint32_t>(count));
    std::memcpy(result.data(), DeviceMemory::instance().host(addresses_.front()),
                count * sizeof(To));
    for (const std::uint64_t address : addresses_) DeviceMemory::instance().free(address);
    return result;
  }

  // With operands of the given widths in bits, the result's first.
  static bool is_refused(const std::string& body, const std::vector<int>& bits) {
    Snippet snippet(body);
    static constexpr const char* kNames[] = {"o", "a", "b", "c", "d"};
    for (std::size_t i = 0; i < bits.size(); ++i) snippet.declare(kNames[i], bits[i]);
    try {
      LoadedModule module(snippet.text());
      module.kernel("snippet");
    } catch (const Fault& fault) {
      return fault.kind == FaultKind::kUnsupported;
    }
    return false;
  }

 private:
  void declare(const std::string& name, int bits) {
    prologue_ += " .reg .b" + std::to_string(bits) + " %" + name + ";\n";
  }

  template <class T>
  void bind(const std::string& name, const std::string& parameter, const std::vector<T>& values) {
    DeviceMemory& memory = DeviceMemory::instance();
    const std::size_t bytes = values.size() * sizeof(T);
    const std::uint64_t address = memory.allocate(bytes, Owner::kProgram, 1U << 30);
    std::memcpy(memory.host(address), values.data(), bytes);
    memory.mark_written(address, bytes);
    addresses_.push_back(address);
    parameters_ += (parameters_.empty() ? "" : ", ") + (".param .u64 in_" + parameter);
    declare(name, 8 * sizeof(T));
    const std::string at = "%at_" + parameter;
    prologue_ += " .reg .b64 " + at + ", %by_" + name + ";\n ld.param.u64 " + at + ", [in_" +
                 parameter + "];\n mul.wide.u32 %by_" + name + ", %lane, " +
                 std::to_string(sizeof(T)) + ";\n add.s64 " + at + ", " + at + ", %by_" + name +
                 ";\n ld.global.b" + std::to_string(8 * sizeof(T)) + " %" + name + ", [" + at +
                 "];\n";
  }

  std::string text() const {
    return ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry snippet(" +
           parameters_ +
           ") {\n .reg .pred %p<4>;\n .reg .b16 %h<4>;\n .reg .b32 %lane, %r<4>;\n"
           " .reg .b64 %w<4>;\n mov.u32 %lane, %tid.x;\n" +
           prologue_ + body_ + "\n" + store_ + " ret;\n}\n";
  }

  void launch(std::uint32_t threads) {
    LoadedModule module(text());
    LaunchConfiguration configuration{
        .grid = {1, 1, 1}, .block = {threads, 1, 1}, .parameters = {}};
    configuration.parameters.resize(addresses_.size() * sizeof(std::uint64_t));
    std::memcpy(configuration.parameters.data(), addresses_.data(),
                configuration.parameters.size());
    gk::emulator::run(module.kernel("snippet"), configuration);
  }

  std::string body_, parameters_, prologue_, store_;
  std::vector<std::uint64_t> addresses_;
};

// The results of `body` for these operands.
template <class To, class... From>
std::vector<To> run_snippet(const std::string& body, const std::vector<From>&... operands) {
  return Snippet(body).run<To>(operands...);
}

}  // namespace gk::emulator
