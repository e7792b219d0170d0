// SPDX-License-Identifier: Apache-2.0
#include "emulator/checks/stamps.hpp"

#include <sys/mman.h>

#include <stdexcept>

namespace gk::emulator {
namespace {

constexpr std::uint64_t kPage = 4096;

class Region {
 public:
  Region() {
    void* made = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) {
      throw std::runtime_error("the emulator cannot reserve addresses for its race check");
    }
    stamps_ = static_cast<Stamps*>(made);
    DeviceMemory::instance().on_free([](Range freed) { region().forget(freed); });
  }
  static Region& region() {
    static auto* const made = new Region;  // never destroyed, like the memory that it describes
    return *made;
  }
  Stamps* at(std::uint64_t device_address) {
    return stamps_ + DeviceMemory::instance().offset(device_address);
  }

 private:
  static constexpr std::uint64_t kBytes = DeviceMemory::kReserved * sizeof(Stamps);

  // Addresses are not used again, so their pages can go.
  void forget(Range freed) {
    auto* const begin = reinterpret_cast<std::byte*>(at(freed.begin));
    auto* const end = reinterpret_cast<std::byte*>(at(freed.end));
    auto* const first = begin + (kPage - reinterpret_cast<std::uintptr_t>(begin) % kPage) % kPage;
    auto* const last = end - reinterpret_cast<std::uintptr_t>(end) % kPage;
    if (first < last) madvise(first, static_cast<std::size_t>(last - first), MADV_DONTNEED);
  }

  Stamps* stamps_ = nullptr;
};

}  // namespace

Stamps* global_stamps(std::uint64_t device_address) { return Region::region().at(device_address); }

}  // namespace gk::emulator
