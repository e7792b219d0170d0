// SPDX-License-Identifier: Apache-2.0
// Streams, events and graphs by the opaque pointers that programs hold. A handle is a number that
// is never given twice, so a destroyed one, or one that was never made, is always recognised.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "emulator/runtime/refusal.hpp"

namespace gk::emulator::runtime {

template <class Handle, class Object>
class Handles {
 public:
  explicit Handles(std::string what) : what_(std::move(what)) {}

  Handle add(Object object) {
    next_ += kStep;
    objects_.emplace(next_, std::move(object));
    return std::bit_cast<Handle>(next_);
  }

  Object& at(Handle handle) {
    const auto found = objects_.find(key(handle));
    if (found == objects_.end()) refuse();
    return found->second;
  }

  void remove(Handle handle) {
    if (objects_.erase(key(handle)) == 0) refuse();
  }

  void clear() { objects_.clear(); }

  // "2 streams" or nothing.
  std::string leaks() const {
    if (objects_.empty()) return {};
    return std::to_string(objects_.size()) + " " + what_ + (objects_.size() > 1 ? "s\n" : "\n");
  }

  auto begin() { return objects_.begin(); }
  auto end() { return objects_.end(); }

 private:
  static constexpr std::uintptr_t kStep = 16;

  static std::uintptr_t key(Handle handle) { return reinterpret_cast<std::uintptr_t>(handle); }

  [[noreturn]] void refuse() const {
    throw Refusal(cudaErrorInvalidResourceHandle,
                  "this " + what_ + " was destroyed or never existed");
  }

  std::string what_;
  // Far above what any program maps, and more than the runtime's own small constants for streams.
  std::uintptr_t next_ = std::uintptr_t{1} << 62;
  std::map<std::uintptr_t, Object> objects_;
};

}  // namespace gk::emulator::runtime
