// SPDX-License-Identifier: Apache-2.0
#include "emulator/audit.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "emulator/interpreter/ops/locate.hpp"

namespace gk::emulator {
namespace {

// What happened to a sector since reset_audit(), and in the present launch.
struct Sector {
  std::uint32_t era, launch;
  bool is_read, is_written;  // in this launch
  std::uint32_t first_reads, repeated_reads, first_writes, repeated_writes;
};

// Pages appear as they are touched.
Sector* reserve_sectors() {
  constexpr std::uint64_t kBytes = DeviceMemory::kReserved / kSectorBytes * sizeof(Sector);
  void* made = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) {
    throw std::runtime_error("the emulator cannot reserve addresses for its audit");
  }
  return static_cast<Sector*>(made);
}

constexpr std::size_t kMostWarps = 32;  // of a block

struct Totals {
  Audit audit;
  std::uint32_t era = 1, launch = 0;
  Sector* sectors = reserve_sectors();  // of all device addresses
};

Totals& totals() {
  static auto* const made = new Totals;  // lives as long as the memory
  return *made;
}

Sector& sector_at(std::uint64_t address) {
  Totals& all = totals();
  Sector& sector = all.sectors[DeviceMemory::instance().offset(address) / kSectorBytes];
  if (sector.era != all.era) {
    sector = {};
    sector.era = all.era;
  }
  if (sector.launch != all.launch) {
    sector.launch = all.launch;
    sector.is_read = sector.is_written = false;
  }
  return sector;
}

void count_read(Sector& sector) {
  Traffic& traffic = totals().audit.traffic;
  if (sector.is_read || sector.is_written) {
    ++traffic.repeated_reads, ++sector.repeated_reads;
  } else {
    ++traffic.first_reads, ++sector.first_reads;
  }
  sector.is_read = true;
}

void count_write(Sector& sector) {
  Traffic& traffic = totals().audit.traffic;
  if (sector.is_written) {
    ++traffic.repeated_writes, ++sector.repeated_writes;
  } else {
    ++traffic.first_writes, ++sector.first_writes;
  }
  sector.is_written = true;
}

// The distinct units of `size` bytes that a request touches, sorted.
std::vector<std::uint64_t> units_of(const Request& request, std::uint32_t lanes,
                                    std::uint64_t size) {
  std::vector<std::uint64_t> units;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t begin = request.addresses[std::countr_zero(rest)];
    for (std::uint64_t unit = begin / size; unit <= (begin + request.bytes - 1) / size; ++unit) {
      units.push_back(unit);
    }
  }
  std::ranges::sort(units);
  const auto repeated = std::ranges::unique(units);
  units.erase(repeated.begin(), repeated.end());
  return units;
}

// 32 banks of 4 bytes. Accesses of 8 and 16 bytes go in two and four parts of the warp.
std::uint64_t conflicts_of(const Request& request) {
  constexpr std::uint64_t kBanks = 32, kBankBytes = 4;
  const std::uint32_t parts = std::max<std::uint32_t>(1, request.bytes / kBankBytes);
  const std::uint32_t lanes_of_part = kLanes / parts;
  std::uint64_t conflicts = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    const std::uint32_t mask = lanes_of_part == kLanes ? ~0U : (1U << lanes_of_part) - 1;
    const std::uint32_t lanes = request.lanes & (mask << part * lanes_of_part);
    std::array<std::uint64_t, kBanks> words{};
    for (const std::uint64_t word : units_of(request, lanes, kBankBytes)) ++words[word % kBanks];
    const std::uint64_t most = *std::ranges::max_element(words);
    conflicts += most > 1 ? most - 1 : 0;
  }
  return conflicts;
}

}  // namespace

const Audit& audited() { return totals().audit; }

void reset_audit() {
  totals().audit = {};
  ++totals().era;
}

Traffic traffic_in(Range range) {
  Traffic sum;
  for (std::uint64_t at = range.begin / kSectorBytes * kSectorBytes; at < range.end;
       at += kSectorBytes) {
    const Sector& sector = sector_at(at);
    sum.first_reads += sector.first_reads;
    sum.repeated_reads += sector.repeated_reads;
    sum.first_writes += sector.first_writes;
    sum.repeated_writes += sector.repeated_writes;
  }
  return sum;
}

AuditCounter::AuditCounter(const std::string& kernel, std::uint64_t dynamic_shared_bytes) {
  Totals& all = totals();
  ++all.launch;
  all.audit.kernels.push_back(kernel);
  all.audit.dynamic_shared_bytes = std::max(all.audit.dynamic_shared_bytes, dynamic_shared_bytes);
}

void AuditCounter::start_block() { in_flight_.assign(kMostWarps, {}); }

void AuditCounter::request(const Request& request) {
  if (request.mode.where == Where::kGlobal) {
    count_global(request);
  } else {
    count_shared(request);
  }
}

void AuditCounter::count_global(const Request& request) {
  Audit& audit = totals().audit;
  const std::vector<std::uint64_t> sectors = units_of(request, request.lanes, kSectorBytes);
  // Lanes that ask for the same bytes need them once.
  const std::uint64_t bytes =
      request.bytes * units_of(request, request.lanes, request.bytes).size();
  const std::uint64_t least = (bytes + kSectorBytes - 1) / kSectorBytes;
  const Access access = request.mode.access;
  for (const std::uint64_t sector : sectors) {
    if (access != Access::kWrite) count_read(sector_at(sector * kSectorBytes));
    if (access != Access::kRead) count_write(sector_at(sector * kSectorBytes));
  }
  if (access == Access::kRead) {
    ++audit.load_requests;
    audit.load_sectors += sectors.size();
    audit.least_load_sectors += least;
  } else if (access == Access::kWrite) {
    ++audit.store_requests;
    audit.store_sectors += sectors.size();
    audit.least_store_sectors += least;
  }
}

void AuditCounter::count_shared(const Request& request) {
  totals().audit.bank_conflicts += conflicts_of(request);
}

void AuditCounter::executed(const Warp& warp, const Instruction& at) {
  Audit& audit = totals().audit;
  const auto lanes = static_cast<std::uint64_t>(std::popcount(warp.active));
  audit.thread_instructions += lanes;
  audit.by_class[static_cast<std::size_t>(at.kind)] += lanes;
  use_loads(warp, at);
}

void AuditCounter::use_loads(const Warp& warp, const Instruction& at) {
  InFlight& mine = in_flight_[warp.index];
  const auto is_used = [&](const Slot& slot) {
    return slot.bytes != 0 && !slot.constant &&
           std::ranges::find(mine.registers, slot.offset) != mine.registers.end();
  };
  const Mode mode = Mode::unpack(at.variant);
  const bool is_memory = at.kind == Class::kMemory;
  const bool stores = is_memory && mode.access == Access::kWrite;
  const bool uses = std::ranges::any_of(std::array{at.a, at.b, at.c, at.d}, is_used) ||
                    (stores && std::ranges::any_of(at.to, is_used));
  if (uses) mine = {};
  if (!is_memory || mode.where != Where::kGlobal || mode.access != Access::kRead) return;
  for (const Slot& to : at.to) {
    if (to.bytes == 0) continue;
    mine.bytes += to.bytes;
    mine.registers.push_back(to.offset);
  }
  std::uint64_t& most = totals().audit.bytes_in_flight_per_thread;
  most = std::max(most, mine.bytes);
}

}  // namespace gk::emulator
