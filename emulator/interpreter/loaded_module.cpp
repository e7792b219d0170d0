// SPDX-License-Identifier: Apache-2.0
// A parsed module with its variables in device memory and its kernels decoded on demand.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "emulator/control.hpp"
#include "emulator/interpreter/code.hpp"
#include "emulator/interpreter/decode.hpp"
#include "emulator/interpreter/launch.hpp"
#include "emulator/memory/device_memory.hpp"

namespace gk::emulator {

namespace {

// Where the module's variables are in device memory; freed with the module, half made or whole.
struct Addresses : std::map<std::string, std::uint64_t> {
  Addresses() = default;
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;
  ~Addresses() {
    for (const auto& [name, address] : *this) DeviceMemory::instance().free(address);
  }
};

}  // namespace

struct LoadedModule::State {
  ptx::Module module;
  Addresses addresses;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;

  explicit State(std::string_view text) : module(ptx::parse(text)) {
    for (const auto& [name, variable] : module.variables) {
      if (is_resident(variable)) addresses[name] = place(variable);
    }
    for (const auto& [name, variable] : module.variables) {
      if (is_resident(variable)) relocate(variable, addresses[name]);
    }
  }

  static bool is_resident(const ptx::Variable& variable) {
    return variable.space == ptx::Space::kGlobal || variable.space == ptx::Space::kConst;
  }

  static std::uint64_t place(const ptx::Variable& variable) {
    if (variable.is_extern) {
      throw ptx::Error("the variable " + variable.name +
                       " is .extern and has no definition in its module");
    }
    DeviceMemory& memory = DeviceMemory::instance();
    const std::uint64_t at = memory.allocate(variable.bytes, Owner::kVariable,
                                             static_cast<std::uint64_t>(options().memory_bytes));
    if (at == 0) throw ptx::Error("no device memory for the variable " + variable.name);
    std::memset(memory.host(at), 0, variable.bytes);
    if (!variable.initial.empty()) {
      std::memcpy(memory.host(at), variable.initial.data(), variable.initial.size());
    }
    memory.mark_written(at, variable.bytes);
    return at;
  }

  void relocate(const ptx::Variable& variable, std::uint64_t at) const {
    for (const ptx::Relocation& relocation : variable.relocations) {
      const auto target = addresses.find(relocation.symbol);
      if (target == addresses.end()) {
        throw ptx::Error("the variable " + variable.name + " holds the address of " +
                         relocation.symbol + ", which is no variable");
      }
      const std::uint64_t value = target->second + static_cast<std::uint64_t>(relocation.offset);
      std::memcpy(DeviceMemory::instance().host(at + relocation.at), &value, sizeof(value));
    }
  }

  std::uint64_t address(const std::string& name) const {
    const auto found = addresses.find(name);
    return found == addresses.end() ? 0 : found->second;
  }

  std::unique_ptr<Kernel> decode(const ptx::Function& function) const {
    return Decoder(module, function, [this](const auto& name) { return address(name); }).decode();
  }
};

LoadedModule::LoadedModule(std::string_view text) : state_(std::make_unique<State>(text)) {}
LoadedModule::~LoadedModule() = default;

bool LoadedModule::has_kernel(const std::string& name) const {
  const auto found = state_->module.functions.find(name);
  return found != state_->module.functions.end() && found->second.is_entry;
}

const Kernel& LoadedModule::kernel(const std::string& name) {
  std::unique_ptr<Kernel>& kernel = state_->kernels[name];
  if (!kernel) kernel = state_->decode(state_->module.functions.at(name));
  return *kernel;
}

KernelFacts LoadedModule::facts(const std::string& name) {
  const Kernel& decoded = kernel(name);
  const ptx::Function& function = *decoded.function;
  KernelFacts facts;
  facts.static_shared_bytes = decoded.static_shared_bytes;
  facts.local_bytes = decoded.local_bytes;
  for (const auto& [variable_name, variable] : state_->module.variables) {
    if (variable.space == ptx::Space::kConst) {
      facts.const_bytes += static_cast<std::uint32_t>(variable.bytes);
    }
  }
  facts.max_threads = function.max_threads;
  facts.threads_required = function.threads_required;
  facts.required_cluster = function.required_cluster;
  facts.parameters = function.parameters;
  facts.parameter_bytes = function.parameter_bytes;
  return facts;
}

std::pair<std::uint64_t, std::uint64_t> LoadedModule::variable(const std::string& name) const {
  const auto found = state_->module.variables.find(name);
  if (found == state_->module.variables.end()) return {0, 0};
  return {state_->address(name), found->second.bytes};
}

}  // namespace gk::emulator
