// SPDX-License-Identifier: Apache-2.0
// Where operands live. One abstract Memory per device kind; the host's is a bump allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "gk/dtype.hpp"

namespace gk {

// A row-major matrix somewhere in some Memory. Does not own its bytes.
struct Tensor {
  void* data = nullptr;
  DType dtype = DType::kF32;
  std::int64_t rows = 0, cols = 0;

  std::int64_t size() const { return rows * cols; }
  std::int64_t bytes() const { return bytes_of(dtype, size()); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

// More memory than there is. The message says how much was needed and how much there is.
struct OutOfMemory : std::runtime_error {
  OutOfMemory(std::int64_t needed_bytes, std::int64_t available_bytes);
};

class Memory {
 public:
  virtual ~Memory() = default;
  // Bytes aligned to 64 or more; throws OutOfMemory.
  virtual void* allocate(std::int64_t bytes) = 0;
  // Element i becomes uniform(hash(seed, i)) in [-scale, scale), rounded to the tensor's dtype.
  virtual void generate(const Tensor& tensor, std::uint64_t seed, float scale) = 0;
  // Every byte 0xff: a NaN in every floating-point dtype.
  virtual void poison(const Tensor& tensor) = 0;
  // A point in the sequence of allocations, and forgetting all that came after it.
  virtual std::int64_t mark() const = 0;
  virtual void release_to(std::int64_t mark) = 0;
  // What is left to allocate.
  virtual std::int64_t available_bytes() const = 0;
  // What an allocation takes beside its own bytes, at most.
  virtual std::int64_t gap_bytes() const { return 0; }
};

// Host memory: one reserved address range, handed out by moving a pointer. Releasing back to a
// mark keeps the pages mapped: the first touch of a page can cost more than all later work on it
// (0.5 GB/s on some virtual machines), and the next block reuses them.
class HostMemory final : public Memory {
 public:
  // Reserves addresses, not pages; `limit_bytes` is what allocations may add up to.
  explicit HostMemory(std::int64_t limit_bytes);
  ~HostMemory() override;
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  void* allocate(std::int64_t bytes) override;
  void generate(const Tensor& tensor, std::uint64_t seed, float scale) override;
  void poison(const Tensor& tensor) override;

  std::int64_t mark() const override { return used_; }
  void release_to(std::int64_t mark) override;
  std::int64_t available_bytes() const override { return limit_ - used_; }
  std::int64_t gap_bytes() const override;

 private:
  std::byte* base_ = nullptr;
  std::int64_t limit_, used_ = 0;
};

// Adds up what would be allocated; the pointers are null. For asking before doing.
class CountingMemory final : public Memory {
 public:
  void* allocate(std::int64_t bytes) override {
    used_ += bytes;
    return nullptr;
  }
  void generate(const Tensor&, std::uint64_t, float) override {}
  void poison(const Tensor&) override {}
  std::int64_t mark() const override { return used_; }
  void release_to(std::int64_t mark) override { used_ = mark; }
  std::int64_t available_bytes() const override { return INT64_MAX; }

 private:
  std::int64_t used_ = 0;
};

// Gives back, when it goes out of scope, all that was allocated since it was made.
struct Release {
  explicit Release(Memory& memory) : memory(memory), mark(memory.mark()) {}
  ~Release() { memory.release_to(mark); }
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  Memory& memory;
  std::int64_t mark;
};

// Half of what the system says is available, within the control group's limit.
std::int64_t usable_host_bytes();

// The element that Memory::generate() puts at `index`, before rounding to a dtype.
float generated_value(std::uint64_t seed, std::uint64_t index, float scale);

}  // namespace gk
