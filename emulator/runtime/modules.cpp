// SPDX-License-Identifier: Apache-2.0
// From a fat binary to a loaded module; for mutation tests another text may stand in for it.
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "emulator/control.hpp"
#include "emulator/ptx/fatbin.hpp"
#include "emulator/runtime/refusal.hpp"
#include "emulator/runtime/registration.hpp"

namespace gk::emulator::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostTextBytes = 64 << 20;  // of a module that stands in for another

// FNV-1a, 64 bits, as 16 hexadecimal digits: the name of a module in the folders below.
std::string hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
  const std::string shown(digits.data(), end);
  return std::string(digits.size() - shown.size(), '0') + shown;
}

// The folder named by an environment variable; empty where it is not set.
fs::path folder(const char* variable) {
  const char* const name = std::getenv(variable);
  if (name == nullptr || *name == '\0') return {};
  std::error_code error;
  const fs::directory_iterator readable(name, error);
  if (error) {
    throw Refusal(cudaErrorInvalidPtx, std::string(variable) + ": cannot read the folder " + name);
  }
  return name;
}

void dump(const std::string& text) {
  const fs::path to = folder("GK_EMULATOR_DUMP_PTX");
  if (to.empty()) return;
  const fs::path path = to / (hash_of(text) + ".ptx");
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw Refusal(cudaErrorInvalidPtx, "cannot write " + path.string());
}

std::string replaced(const std::string& text) {
  const fs::path from = folder("GK_EMULATOR_PTX");
  if (from.empty()) return text;
  const fs::path path = from / (hash_of(text) + ".ptx");
  if (!fs::exists(path)) return text;
  if (!fs::is_regular_file(path) || fs::file_size(path) > kMostTextBytes) {
    throw Refusal(cudaErrorInvalidPtx, path.string() + " is no file of at most 64 MiB");
  }
  std::ifstream file(path, std::ios::binary);
  std::string other{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Refusal(cudaErrorInvalidPtx, "cannot read " + path.string());
  return other;
}

std::string contents(const std::vector<FatbinEntry>& entries) {
  std::string list;
  for (const FatbinEntry& entry : entries) {
    if (entry.kind == FatbinEntry::Kind::kOther) continue;
    const bool is_ptx = entry.kind == FatbinEntry::Kind::kPtx;
    if (!list.empty()) list += ", ";
    list += is_ptx ? "PTX for compute_" : "machine code for sm_";
    list += std::to_string(entry.arch) + (entry.arch_specific ? "a" : "");
  }
  return list.empty() ? "nothing" : list;
}

[[noreturn]] void refuse(const std::string& user, const std::vector<FatbinEntry>& entries) {
  const int arch = options().arch;
  const std::string wanted = arch == 0 ? "no PTX" : "no PTX for compute_" + std::to_string(arch);
  throw Refusal(cudaErrorNoKernelImageForDevice,
                "the fat binary of " + user + " has " + wanted + ", only " + contents(entries));
}

}  // namespace

std::shared_ptr<LoadedModule> module_of(FatBinary& binary, const std::string& user) {
  const int arch = options().arch;
  if (const auto found = binary.modules.find(arch); found != binary.modules.end()) {
    return found->second;
  }
  const std::vector<FatbinEntry> entries = read_fatbin(binary.wrapper);
  const FatbinEntry* const chosen = choose_ptx(entries, arch);
  if (chosen == nullptr) refuse(user, entries);
  dump(chosen->text);
  binary.hashes[arch] = hash_of(chosen->text);
  auto module = std::make_shared<LoadedModule>(replaced(chosen->text));
  return binary.modules[arch] = std::move(module);
}

}  // namespace gk::emulator::runtime
