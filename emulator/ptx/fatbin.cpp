// SPDX-License-Identifier: Apache-2.0
// The layout is that of CUDA 13.0, read off its output; NVIDIA documents none.
#include "emulator/ptx/fatbin.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace gk::emulator {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243B1, kContainerMagic = 0xBA55ED50;
constexpr std::uint16_t kPtx = 1, kElf = 2;
constexpr std::uint64_t kArchSpecific = 0x100000, kZstd = 0x8000, kLz4 = 0x2000;

struct Wrapper {
  std::uint32_t magic, version;
  const std::byte* container;
  const void* unused;
};
static_assert(sizeof(Wrapper) == 24);

struct Container {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // after the header
};
static_assert(sizeof(Container) == 16);

struct Entry {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;
  std::uint32_t compressed_bytes, options;
  std::uint16_t minor, major;
  std::uint32_t arch, ident, ident_bytes;
  std::uint64_t flags, unknown, uncompressed_bytes;
};
static_assert(sizeof(Entry) == 64);

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

FatbinEntry::Kind kind_of(const Entry& entry) {
  if (entry.kind == kPtx) return FatbinEntry::Kind::kPtx;
  return entry.kind == kElf ? FatbinEntry::Kind::kElf : FatbinEntry::Kind::kOther;
}

// The first entry of `bytes` bytes at `at`, checked to lie within them.
Entry checked_entry(const std::byte* at, std::uint64_t bytes) {
  if (bytes < sizeof(Entry)) throw FatbinError("fat binary: an entry is cut off by the end");
  const auto entry = load<Entry>(at);
  if (entry.header_bytes < sizeof(Entry) || entry.header_bytes > bytes ||
      entry.payload_bytes > bytes - entry.header_bytes) {
    throw FatbinError("fat binary: an entry's sizes run past the container");
  }
  return entry;
}

std::string ptx_of(const Entry& entry, const std::byte* at) {
  if (entry.compressed_bytes != 0 || (entry.flags & (kZstd | kLz4)) != 0) {
    throw FatbinError("compressed PTX: build with --no-compress");
  }
  const char* text = reinterpret_cast<const char*>(at + entry.header_bytes);
  return {text, strnlen(text, entry.payload_bytes)};  // zeros pad it
}

}  // namespace

std::vector<FatbinEntry> read_fatbin(const void* wrapper) {
  const auto outer = load<Wrapper>(static_cast<const std::byte*>(wrapper));
  if (outer.magic != kWrapperMagic || outer.container == nullptr) {
    throw FatbinError("fat binary: the wrapper is not one (wrong magic number)");
  }
  const auto container = load<Container>(outer.container);
  if (container.magic != kContainerMagic || container.header_bytes < sizeof(Container)) {
    throw FatbinError("fat binary: the container is not one (wrong magic number)");
  }
  std::vector<FatbinEntry> entries;
  const std::byte* at = outer.container + container.header_bytes;
  for (std::uint64_t left = container.bytes; left > 0;) {
    const Entry entry = checked_entry(at, left);
    entries.push_back({.kind = kind_of(entry),
                       .arch = static_cast<int>(entry.arch),
                       .arch_specific = (entry.flags & kArchSpecific) != 0,
                       .text = entry.kind == kPtx ? ptx_of(entry, at) : std::string()});
    at += entry.header_bytes + entry.payload_bytes;
    left -= entry.header_bytes + entry.payload_bytes;
  }
  return entries;
}

const FatbinEntry* choose_ptx(const std::vector<FatbinEntry>& entries, int arch) {
  const FatbinEntry* best = nullptr;
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != FatbinEntry::Kind::kPtx || (arch != 0 && entry.arch != arch)) continue;
    if (best == nullptr ||
        std::pair(entry.arch, entry.arch_specific) > std::pair(best->arch, best->arch_specific)) {
      best = &entry;
    }
  }
  return best;
}

}  // namespace gk::emulator
