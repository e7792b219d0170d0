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
    const auto begin = reinterpret_cast<std::uintptr_t>(at(freed.begin));
    const auto end = reinterpret_cast<std::uintptr_t>(at(freed.end));
    const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage;
    const std::uintptr_t last = end / kPage * kPage;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }

  Stamps* stamps_ = nullptr;
};

}  // namespace

Stamps* global_stamps(std::uint64_t device_address) { return Region::region().at(device_address); }

}  // namespace gk::emulator
