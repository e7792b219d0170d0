// SPDX-License-Identifier: Apache-2.0
#include "gk/machine.hpp"

#include <cpuid.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

namespace gk {
namespace {

constexpr std::int64_t kDramStreamBytes = 192 << 20;  // one call; the engine rotates past the LLC

std::string first_line(const std::filesystem::path& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const auto colon = line.find(':');
    return colon == std::string::npos ? "" : line.substr(std::min(colon + 2, line.size()));
  }
  return "";
}

// "2048K" as sysfs writes it.
std::int64_t parse_size(const std::string& text) {
  if (text.empty()) return 0;
  const std::map<char, std::int64_t> factors = {{'K', 1 << 10}, {'M', 1 << 20}, {'G', 1 << 30}};
  const auto factor = factors.find(text.back());
  return std::atoll(text.c_str()) * (factor == factors.end() ? 1 : factor->second);
}

cpu_set_t usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

// "0-1,4" from the set of CPUs that this process may use.
std::string affinity_text(const cpu_set_t& set) {
  std::string text;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    int last = cpu;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(cpu) + (last > cpu ? "-" + std::to_string(last) : "");
    cpu = last;
  }
  return text;
}

std::vector<Machine::Cache> read_caches() {
  std::vector<Machine::Cache> caches;
  const std::filesystem::path root = "/sys/devices/system/cpu/cpu0/cache";
  for (int index = 0; std::filesystem::exists(root / ("index" + std::to_string(index))); ++index) {
    const auto folder = root / ("index" + std::to_string(index));
    const std::string shared = first_line(folder / "shared_cpu_map");
    int sharing = 0;
    for (const char digit : shared) {
      const auto bits =
          digit == ',' ? 0U : static_cast<unsigned>(std::stoi(std::string(1, digit), nullptr, 16));
      sharing += __builtin_popcount(bits);
    }
    caches.push_back({first_line(folder / "type"), std::atoi(first_line(folder / "level").c_str()),
                      sharing, parse_size(first_line(folder / "size"))});
  }
  return caches;
}

// The plateau of a cache lies midway, on a log scale, between the cache below and its own size.
std::vector<CacheLevel> levels_of(const Machine& machine) {
  std::vector<CacheLevel> levels;
  for (const auto& cache : machine.caches) {
    if (cache.type == "Instruction" || cache.bytes == 0) continue;
    const auto capacity = static_cast<double>(cache.bytes);
    const double below =
        levels.empty() ? capacity / 4 : static_cast<double>(levels.back().capacity_bytes);
    levels.push_back({"l" + std::to_string(cache.level), cache.bytes,
                      static_cast<std::int64_t>(std::sqrt(below * capacity))});
  }
  levels.push_back({"dram", machine.memory_bytes, kDramStreamBytes});
  return levels;
}

// The word in brackets: "always [madvise] never".
std::string chosen(const std::string& text) {
  const auto open = text.find('['), close = text.find(']');
  return open == std::string::npos || close == std::string::npos
             ? ""
             : text.substr(open + 1, close - open - 1);
}

Machine ask() {
  Machine m;
  const cpu_set_t cpus = usable_cpus();
  m.name = cpuinfo("model name");
  m.cores = std::max(1, CPU_COUNT(&cpus));
  m.nominal_mhz = std::atof(cpuinfo("cpu MHz").c_str());
  m.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  m.caches = read_caches();
  m.levels = levels_of(m);
  m.llc_bytes = m.levels.size() > 1 ? m.levels[m.levels.size() - 2].capacity_bytes : 0;
  if (!m.caches.empty()) m.llc_sharing = std::max(1, m.caches.back().sharing);
  m.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  m.huge_pages = chosen(first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  m.affinity = affinity_text(cpus);
  return m;
}

// Asks the kernel for the tile registers (ARCH_REQ_XCOMP_PERM of feature 18, Linux 5.16).
bool tiles_granted() {
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

struct CpuId {
  unsigned a = 0, b = 0, c = 0, d = 0;
  explicit CpuId(unsigned leaf, unsigned subleaf) {
    __get_cpuid_count(leaf, subleaf, &a, &b, &c, &d);
  }
};

}  // namespace

std::string_view name_of(Isa isa) {
  switch (isa) {
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
    case Isa::kAvx512Bf16:
      return "avx512_bf16";
    case Isa::kAmxBf16:
      return "amx_bf16";
  }
  return "";
}

bool cpu_has(Isa isa) {
  // The builtin also checks that the operating system saves the wide registers.
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  switch (isa) {
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Isa::kAvx512:
      return avx512;
    case Isa::kAvx512Bf16:
      return avx512 && (CpuId(7, 1).a >> 5 & 1U) != 0;
    case Isa::kAmxBf16: {
      static const bool granted =
          avx512 && (CpuId(7, 0).d >> 22 & 5U) == 5U && tiles_granted();  // amx_bf16, amx_tile
      return granted;
    }
  }
  return false;
}

const Machine& machine() {
  static const Machine asked = ask();
  return asked;
}

const CacheLevel* level_of(const Machine& machine, std::int64_t bytes) {
  std::int64_t below = 0;
  for (const CacheLevel& level : machine.levels) {
    const bool is_dram = &level == &machine.levels.back();
    if (bytes >= (is_dram ? 3 : 2) * below && (is_dram || bytes <= level.capacity_bytes / 2)) {
      return &level;
    }
    below = level.capacity_bytes;
  }
  return nullptr;
}

}  // namespace gk
