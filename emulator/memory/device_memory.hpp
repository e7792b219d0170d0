// SPDX-License-Identifier: Apache-2.0
// Global memory of the emulated device. Addresses that programs see lie in a range that the host
// cannot touch, so host code that dereferences a device pointer dies at once; the bytes lie a
// fixed distance away. Around every allocation is a red zone; freed memory is never reused before
// reset(), so a use after free is always seen.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace gk::emulator {

struct Range {
  std::uint64_t begin = 0, end = 0;
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address >= begin && bytes <= end - begin && address - begin <= end - begin - bytes;
  }
};

enum class Owner : std::uint8_t { kProgram, kVariable };  // cudaMalloc; a __device__ variable

class DeviceMemory {
 public:
  // The one device's memory. Never destroyed: kernels register before main and leave after it.
  static DeviceMemory& instance();

  // 256-byte aligned, or 0 where `limit` bytes of live allocations would be exceeded.
  std::uint64_t allocate(std::uint64_t bytes, Owner owner, std::uint64_t limit);
  // False unless `address` is what allocate() returned and still live.
  bool free(std::uint64_t address);
  void reset();  // frees all that programs own; variables stay

  // The live allocation that holds the address, or an empty range.
  Range find(std::uint64_t address) const;
  bool is_live(std::uint64_t address, std::uint64_t bytes) const {
    return find(address).contains(address, bytes);
  }
  // One of this device's addresses, live or not.
  bool is_device(std::uint64_t address) const { return address - guest_ < kReserved; }
  // Why an access is wrong: "8 bytes past the end of a 4,000-byte allocation", "freed memory", ...
  std::string explain(std::uint64_t address, std::uint64_t bytes) const;
  std::byte* host(std::uint64_t address) const {
    return std::bit_cast<std::byte*>(address + distance_);
  }

  // Which bytes were ever written: one byte each, 0 or 1.
  std::uint8_t* written(std::uint64_t address) const { return written_ + (address - guest_); }
  void mark_written(std::uint64_t address, std::uint64_t bytes);
  // Everything that is live: after a launch that kept no such record.
  void mark_all_written();
  // Called with every freed range, so that who keeps records per address can drop them.
  void on_free(void (*callback)(Range freed)) { on_free_ = callback; }
  std::uint64_t offset(std::uint64_t address) const { return address - guest_; }

  std::uint64_t live_bytes() const { return live_bytes_; }
  // One line per live allocation of programs; empty when there is none.
  std::string leaks() const;

  static constexpr std::uint64_t kReserved = std::uint64_t{16} << 30;  // addresses, not pages

 private:
  DeviceMemory();
  struct Allocation {
    std::uint64_t end;
    Owner owner;
    bool live;
    bool all_written = false;  // by mark_all_written()
  };
  std::uint64_t guest_ = 0, distance_ = 0;
  // Programs' memory grows up from the start and begins anew at reset(); variables grow down.
  std::uint64_t top_ = 0, variables_ = 0, live_bytes_ = 0;
  std::uint8_t* written_ = nullptr;
  void (*on_free_)(Range freed) = nullptr;
  std::map<std::uint64_t, Allocation> allocations_;  // by begin
};

}  // namespace gk::emulator
