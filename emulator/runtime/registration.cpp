// SPDX-License-Identifier: Apache-2.0
#include "emulator/runtime/registration.hpp"

#include <cuda_runtime_api.h>

#include <list>
#include <utility>

#include "emulator/control.hpp"
#include "emulator/runtime/call.hpp"
#include "emulator/text.hpp"

using namespace gk::emulator::runtime;  // NOLINT(google-build-using-namespace): C entry points

namespace gk::emulator::runtime {
namespace {

struct RegisteredVariable {
  FatBinary* binary;
  std::string name;
};

struct Registry {
  std::list<FatBinary> binaries;  // their addresses are nvcc's handles
  std::map<const void*, RegisteredKernel> kernels;
  std::map<const void*, RegisteredVariable> variables;
};

Registry& registry() {
  static Registry* const all = new Registry;
  return *all;
}

FatBinary* binary_of(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

}  // namespace

RegisteredKernel& kernel_of(const void* function) {
  const auto found = registry().kernels.find(function);
  if (found != registry().kernels.end()) return found->second;
  throw Refusal(cudaErrorInvalidDeviceFunction,
                hexadecimal(reinterpret_cast<std::uint64_t>(function)) +
                    " is not a kernel that this program registered");
}

const KernelFacts& facts_of(RegisteredKernel& kernel) {
  const auto [entry, is_new] = kernel.facts.try_emplace(options().arch);
  if (!is_new) return entry->second;
  try {
    const auto module = module_of(*kernel.binary, kernel.shown);
    if (!module->has_kernel(kernel.name)) {
      throw Refusal(cudaErrorInvalidDeviceFunction, "no kernel " + kernel.shown + " in its PTX");
    }
    entry->second = module->facts(kernel.name);
  } catch (...) {
    kernel.facts.erase(entry);
    throw;
  }
  return entry->second;
}

std::pair<std::uint64_t, std::uint64_t> variable_of(const void* symbol) {
  const auto found = registry().variables.find(symbol);
  if (found == registry().variables.end()) {
    throw Refusal(cudaErrorInvalidSymbol, "this symbol is no registered device variable");
  }
  const RegisteredVariable& variable = found->second;
  const std::string shown = demangled(variable.name);
  const auto place = module_of(*variable.binary, shown)->variable(variable.name);
  if (place.first == 0) {
    throw Refusal(cudaErrorInvalidSymbol, "no variable " + shown + " in its PTX");
  }
  return place;
}

}  // namespace gk::emulator::runtime

// NOLINTBEGIN(bugprone-reserved-identifier): nvcc's own names.
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  const std::scoped_lock lock(context().mutex);
  FatBinary& binary = registry().binaries.emplace_back(FatBinary{wrapper, {}, {}});
  return reinterpret_cast<void**>(&binary);
}

void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}

// Asked by files whose constants live on both sides; there is nothing to prepare.
char __cudaInitModule(void** /*handle*/) { return 1; }

void __cudaUnregisterFatBinary(void** handle) {
  const std::scoped_lock lock(context().mutex);
  const FatBinary* const binary = binary_of(handle);
  const auto is_in_it = [binary](const auto& entry) { return entry.second.binary == binary; };
  std::erase_if(registry().kernels, is_in_it);
  std::erase_if(registry().variables, is_in_it);
  registry().binaries.remove_if([binary](const FatBinary& each) { return &each == binary; });
}

void __cudaRegisterFunction(void** handle, const char* stub, char* /*device_stub*/,
                            const char* name, int /*thread_limit*/, uint3* /*tid*/, uint3* /*bid*/,
                            dim3* /*block*/, dim3* /*grid*/, int* /*warp_size*/) {
  const std::scoped_lock lock(context().mutex);
  registry().kernels[stub] = {.binary = binary_of(handle),
                              .name = name,
                              .shown = gk::emulator::demangled(name),
                              .opted_in_dynamic_shared_bytes = {},
                              .facts = {}};
}

void __cudaRegisterVar(void** handle, char* variable, char* /*device_address*/, const char* name,
                       int /*external*/, std::size_t /*bytes*/, int /*constant*/, int /*global*/) {
  const std::scoped_lock lock(context().mutex);
  registry().variables[variable] = {binary_of(handle), name};
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
