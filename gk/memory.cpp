// SPDX-License-Identifier: Apache-2.0
#include "gk/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>

#include "gk/text.hpp"

// Under AddressSanitizer the gaps between allocations are poisoned, so that an overrun of one
// operand into the next is found although both lie in one mapping.
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(address, size) static_cast<void>(0)
#endif

namespace gk {
namespace {

// Cache-line aligned. The gap of 14 lines keeps the three or four equally large operands of an op
// apart modulo 4 KiB, where a load would falsely wait for an earlier store (4K aliasing).
constexpr std::int64_t kAlignment = 64;
constexpr std::int64_t kGap = 14 * 64;
constexpr std::int64_t kChunk = 1 << 16;  // elements one thread generates at a time

// A 32-bit finaliser: every input bit flips every output bit with probability near one half.
constexpr std::uint32_t mix(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

// The upper halves of seed and index go into the 32-bit key, the lower index half is counted.
constexpr std::uint32_t key_of(std::uint64_t seed, std::uint64_t index) {
  return mix(static_cast<std::uint32_t>(seed) ^
             mix(static_cast<std::uint32_t>(seed >> 32) ^ static_cast<std::uint32_t>(index >> 32)));
}

inline float value_at(std::uint32_t key, std::uint32_t low_index, float step) {
  return static_cast<float>(static_cast<std::int32_t>(mix(low_index * 0x9e3779b9U + key))) * step;
}

// Cloned per instruction set: generating gigabytes of operands is most of a block's preparation.
template <class T>
__attribute__((always_inline)) inline void fill_loop(T* out, std::int64_t count, std::uint32_t key,
                                                     std::uint32_t first, float step) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = value_at(key, first + static_cast<std::uint32_t>(i), step);
    if constexpr (std::is_same_v<T, float>) {
      out[i] = value;
    } else {  // generated values are finite: plain round to nearest even, which vectorises
      const auto bits = std::bit_cast<std::uint32_t>(value);
      out[i] = {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
    }
  }
}

__attribute__((target_clones("avx512f", "avx2", "default"))) void fill(
    float* out, std::int64_t count, std::uint32_t key, std::uint32_t first, float step) {
  fill_loop(out, count, key, first, step);
}

__attribute__((target_clones("avx512f", "avx2", "default"))) void fill(
    Bf16* out, std::int64_t count, std::uint32_t key, std::uint32_t first, float step) {
  fill_loop(out, count, key, first, step);
}

std::int64_t available_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::int64_t kib = 0;
  for (std::string unit; meminfo >> key >> kib; std::getline(meminfo, unit)) {
    if (key == "MemAvailable:") return kib * 1024;
  }
  return std::int64_t{1} << 30;  // a system that does not tell: stay small
}

std::int64_t control_group_bytes() {
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  std::int64_t bytes = 0;
  return limit >> bytes ? bytes : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

OutOfMemory::OutOfMemory(std::int64_t needed_bytes, std::int64_t available_bytes)
    : std::runtime_error("needs " + gigabytes(needed_bytes) + " of memory, and " +
                         gigabytes(available_bytes) + " may be used here") {}

// `ulimit -v`.
static std::int64_t address_space_bytes() {
  rlimit limit{};
  const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_limited ? static_cast<std::int64_t>(limit.rlim_cur)
                    : std::numeric_limits<std::int64_t>::max();
}

std::int64_t usable_host_bytes() {
  return std::min({available_bytes(), control_group_bytes(), address_space_bytes()}) / 2;
}

float generated_value(std::uint64_t seed, std::uint64_t index, float scale) {
  return value_at(key_of(seed, index), static_cast<std::uint32_t>(index), scale * 0x1p-31F);
}

HostMemory::HostMemory(std::int64_t limit_bytes) : limit_(limit_bytes) {
  void* base = mmap(nullptr, static_cast<std::size_t>(limit_), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw OutOfMemory(limit_, available_bytes());
  // Huge pages are worth 10 to 15 % on streams; refusal is no error (the row's machine says so).
  madvise(base, static_cast<std::size_t>(limit_), MADV_HUGEPAGE);
  base_ = static_cast<std::byte*>(base);
  ASAN_POISON_MEMORY_REGION(base_, static_cast<std::size_t>(limit_));
}

HostMemory::~HostMemory() {
  ASAN_UNPOISON_MEMORY_REGION(base_, static_cast<std::size_t>(limit_));
  munmap(base_, static_cast<std::size_t>(limit_));
}

void* HostMemory::allocate(std::int64_t bytes) {
  const std::int64_t start = (used_ + kGap + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > limit_ - start) throw OutOfMemory(start + bytes, limit_);
  used_ = start + bytes;
  ASAN_UNPOISON_MEMORY_REGION(base_ + start, static_cast<std::size_t>(bytes));
  return base_ + start;
}

std::int64_t HostMemory::gap_bytes() const { return kGap + kAlignment; }

void HostMemory::release_to(std::int64_t mark) {
  ASAN_POISON_MEMORY_REGION(base_ + mark, static_cast<std::size_t>(used_ - mark));
  used_ = mark;
}

void HostMemory::generate(const Tensor& tensor, std::uint64_t seed, float scale) {
  const std::int64_t size = tensor.size();
  const std::int64_t chunks = (size + kChunk - 1) / kChunk;
  visit(tensor.dtype, [&](auto tag) {
    auto* data = tensor.as<decltype(tag)>();
#pragma omp parallel for schedule(static) if (chunks > 1)
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      const std::int64_t first = chunk * kChunk;
      fill(data + first, std::min(kChunk, size - first),
           key_of(seed, static_cast<std::uint64_t>(first)), static_cast<std::uint32_t>(first),
           scale * 0x1p-31F);
    }
  });
}

void HostMemory::poison(const Tensor& tensor) {
  std::memset(tensor.data, 0xff, static_cast<std::size_t>(tensor.bytes()));
}

}  // namespace gk
