// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/device_memory.hpp"

#include <sys/mman.h>

#include <bit>
#include <cstring>
#include <iterator>
#include <new>

#include "emulator/text.hpp"

namespace gk::emulator {
namespace {

constexpr std::uint64_t kAlignment = 256;  // what cudaMalloc promises
constexpr std::uint64_t kRedZone = 256;
constexpr std::uint64_t kPage = 4096;
// The lowest addresses of the range stay empty, so that no allocation is without a red zone.
constexpr std::uint64_t kFirst = kPage;

std::uint64_t map_range(int protection) {
  void* const range = mmap(nullptr, DeviceMemory::kReserved, protection,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  return reinterpret_cast<std::uint64_t>(range);
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

// Gives whole pages back; they read as zeros afterwards.
void discard(std::uint64_t begin, std::uint64_t end) {
  begin = round_up(begin, kPage);
  end = end / kPage * kPage;
  if (begin < end) madvise(std::bit_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

std::string bytes_text(std::uint64_t bytes) {
  return grouped(bytes) + (bytes == 1 ? " byte" : " bytes");
}

}  // namespace

DeviceMemory::DeviceMemory()
    : guest_(map_range(PROT_NONE)),
      distance_(map_range(PROT_READ | PROT_WRITE) - guest_),
      top_(guest_ + kFirst),
      variables_(guest_ + kReserved - kRedZone),
      written_(std::bit_cast<std::uint8_t*>(map_range(PROT_READ | PROT_WRITE))) {}

DeviceMemory& DeviceMemory::instance() {
  static DeviceMemory* const memory = new DeviceMemory;
  return *memory;
}

std::uint64_t DeviceMemory::allocate(std::uint64_t bytes, Owner owner, std::uint64_t limit) {
  const std::uint64_t room = variables_ - top_;
  if (live_bytes_ > limit || bytes > limit - live_bytes_) return 0;
  const std::uint64_t taken = round_up(bytes, kAlignment) + kRedZone;
  if (taken + kPage > room) return 0;  // the two ends share no page: reset() clears whole ones
  std::uint64_t begin = top_;
  if (owner == Owner::kVariable) {
    begin = variables_ -= taken;
  } else {
    top_ += taken;
  }
  allocations_[begin] = {.end = begin + bytes, .owner = owner, .live = true};
  live_bytes_ += bytes;
  return begin;
}

bool DeviceMemory::free(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || !found->second.live) return false;
  found->second.live = false;
  live_bytes_ -= found->second.end - address;
  discard(address + distance_, found->second.end + distance_);
  const auto marks = reinterpret_cast<std::uint64_t>(written(address));
  discard(marks, marks + (found->second.end - address));
  if (on_free_ != nullptr) on_free_({address, found->second.end});
  return true;
}

void DeviceMemory::reset() {
  std::erase_if(allocations_, [this](const auto& entry) {
    const auto& [begin, allocation] = entry;
    if (allocation.owner == Owner::kVariable) return false;
    if (allocation.live) live_bytes_ -= allocation.end - begin;
    if (allocation.live && on_free_ != nullptr) on_free_({begin, allocation.end});
    return true;
  });
  // A new allocation must be as unwritten as the first one was, bytes outside whole pages too.
  const std::uint64_t used = round_up(top_ - guest_, kPage);
  madvise(host(guest_), used, MADV_DONTNEED);
  madvise(written_, used, MADV_DONTNEED);
  top_ = guest_ + kFirst;
}

Range DeviceMemory::find(std::uint64_t address) const {
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return {};
  const auto& [begin, allocation] = *std::prev(after);
  if (!allocation.live || address >= allocation.end) return {};
  return {begin, allocation.end};
}

std::string DeviceMemory::explain(std::uint64_t address, std::uint64_t bytes) const {
  if (address < kPage) return "a null pointer";
  if (!is_device(address)) return hexadecimal(address) + " is not device memory";
  const auto size_of = [](const auto& entry) {
    const auto size = grouped(entry->second.end - entry->first);
    return size + "-byte allocation" + (entry->second.live ? "" : " that was freed");
  };
  const auto after = allocations_.upper_bound(address);
  const bool has_before = after != allocations_.begin();
  const auto before = has_before ? std::prev(after) : after;
  const bool inside = has_before && address < before->second.end;
  if (inside && !before->second.live) {
    return "freed memory: byte " + grouped(address - before->first) + " of a " + size_of(before);
  }
  const bool nearer_after = after != allocations_.end() && !inside &&
                            (!has_before || after->first - address < address - before->second.end);
  if (nearer_after) {
    return bytes_text(after->first - address) + " before the start of a " + size_of(after);
  }
  if (!has_before) return hexadecimal(address) + " is in no allocation";
  const std::uint64_t past = address + bytes - before->second.end;
  return bytes_text(past) + " past the end of a " + size_of(before);
}

void DeviceMemory::mark_written(std::uint64_t address, std::uint64_t bytes) {
  std::memset(written(address), 1, bytes);
}

void DeviceMemory::mark_all_written() {
  for (auto& [begin, allocation] : allocations_) {
    if (allocation.live && !allocation.all_written) mark_written(begin, allocation.end - begin);
    allocation.all_written = true;
  }
}

std::string DeviceMemory::leaks() const {
  std::string lines;
  for (const auto& [begin, allocation] : allocations_) {
    if (!allocation.live || allocation.owner != Owner::kProgram) continue;
    lines += bytes_text(allocation.end - begin) + " of device memory at " + hexadecimal(begin);
    lines += '\n';
  }
  return lines;
}

}  // namespace gk::emulator
