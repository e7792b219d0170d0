// SPDX-License-Identifier: Apache-2.0
// What nvcc's start-up code registers: per translation unit a fat binary, its kernels and its
// variables. Names are looked up in the same fat binary only, for two files may have a static
// kernel of one name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "emulator/interpreter/launch.hpp"

namespace gk::emulator::runtime {

struct FatBinary {
  const void* wrapper;
  std::map<int, std::shared_ptr<LoadedModule>> modules;  // by Options::arch
  std::map<int, std::string> hashes;                     // of their texts as embedded
};

struct RegisteredKernel {
  FatBinary* binary;
  std::string name;                                  // as in PTX
  std::string shown;                                 // demangled
  std::optional<int> opted_in_dynamic_shared_bytes;  // by cudaFuncSetAttribute
  bool non_portable_cluster = false;
  std::map<int, KernelFacts> facts;  // by Options::arch
};

// By the address of the host's stub, which is also what __cudaGetKernel gives. Throws Refusal.
RegisteredKernel& kernel_of(const void* function);

// Loads the PTX of options().arch at first use. Who keeps code or addresses of it for later, as a
// graph does, shares it: the program may take its leave before. Throws Refusal, ptx::Error,
// FatbinError; `user` says for whom.
std::shared_ptr<LoadedModule> module_of(FatBinary& binary, const std::string& user);

const KernelFacts& facts_of(RegisteredKernel& kernel);

// Device address and bytes by the address of the host's shadow variable. Throws Refusal.
std::pair<std::uint64_t, std::uint64_t> variable_of(const void* symbol);

}  // namespace gk::emulator::runtime
