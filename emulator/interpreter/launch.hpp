// SPDX-License-Identifier: Apache-2.0
// The interpreter's front door: a module is loaded once, a launch runs to its end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace gk::emulator {

struct Kernel;  // decoded: code.hpp

// Per kernel, what cudaFuncGetAttributes tells.
struct KernelFacts {
  std::uint32_t static_shared_bytes = 0, const_bytes = 0, local_bytes = 0;
  std::array<int, 3> max_threads{};
  bool threads_required = false;
  std::array<int, 3> required_cluster{};
  std::vector<ptx::Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
};

// One translation unit's PTX, parsed, its variables placed in device memory, its kernels decoded
// at their first launch.
class LoadedModule {
 public:
  // Throws ptx::Error.
  explicit LoadedModule(std::string_view text);
  ~LoadedModule();
  bool has_kernel(const std::string& name) const;
  // Throws Fault (kUnsupported) for an opcode that the interpreter does not know.
  const Kernel& kernel(const std::string& name);
  KernelFacts facts(const std::string& name);
  // Device address and bytes of a module-scope .global or .const variable; {0, 0} if unknown.
  std::pair<std::uint64_t, std::uint64_t> variable(const std::string& name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct LaunchConfiguration {
  std::array<std::uint32_t, 3> grid, block, cluster{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;                  // all blocks are resident at once
  std::uint32_t resident_blocks = 132 * 32;  // at once, at most: the others wait for an end
  std::vector<std::byte> parameters;         // KernelFacts::parameter_bytes
};

// Runs all blocks under options(). Throws Fault.
void run(const Kernel& kernel, const LaunchConfiguration& configuration);

}  // namespace gk::emulator
