// SPDX-License-Identifier: Apache-2.0
// A launch: copy the arguments, check what a GPU would check, hand it to the stream.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "emulator/control.hpp"
#include "emulator/runtime/call.hpp"
#include "emulator/runtime/limits.hpp"
#include "emulator/runtime/registration.hpp"

using namespace gk::emulator::runtime;  // NOLINT(google-build-using-namespace): C entry points

namespace {

using gk::emulator::KernelFacts;
using gk::emulator::LaunchConfiguration;

using Attributes = std::span<const cudaLaunchAttribute>;

struct Pushed {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};

// Between <<<>>> and the stub that it calls; a stack, for an argument may launch as well.
std::vector<Pushed>& pushed() {
  thread_local std::vector<Pushed> stack;
  return stack;
}

void apply(const cudaLaunchAttribute& attribute, LaunchConfiguration& launch) {
  const cudaLaunchAttributeValue& value = attribute.val;
  switch (attribute.id) {
    case cudaLaunchAttributeClusterDimension:
      launch.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
      break;
    case cudaLaunchAttributeCooperative:
      launch.cooperative = value.cooperative != 0;
      break;
    // Hints, or about an overlap that launches in order do not have.
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
      break;
    default:
      throw Refusal(cudaErrorNotSupported,
                    "launch attribute " + std::to_string(attribute.id) + " is not emulated");
  }
}

std::vector<std::byte> copied(const RegisteredKernel& kernel, const KernelFacts& facts,
                              void** arguments) {
  std::vector<std::byte> bytes(facts.parameter_bytes);
  if (arguments == nullptr && !facts.parameters.empty()) {
    throw Refusal(cudaErrorInvalidValue, "launch of " + kernel.shown + " without arguments");
  }
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    const auto& parameter = facts.parameters[i];
    if (arguments[i] == nullptr) {
      throw Refusal(cudaErrorInvalidValue, "launch of " + kernel.shown + ": argument " +
                                               std::to_string(i) + " is a null pointer");
    }
    std::memcpy(bytes.data() + parameter.offset, arguments[i], parameter.bytes);
  }
  return bytes;
}

void require_cluster(const RegisteredKernel& kernel, const KernelFacts& facts,
                     LaunchConfiguration& launch) {
  const auto& required = facts.required_cluster;
  if (required[0] == 0) return;
  const std::array<std::uint32_t, 3> cluster{static_cast<std::uint32_t>(required[0]),
                                             static_cast<std::uint32_t>(required[1]),
                                             static_cast<std::uint32_t>(required[2])};
  if (launch.cluster != std::array<std::uint32_t, 3>{1, 1, 1} && launch.cluster != cluster) {
    throw Refusal(cudaErrorInvalidClusterSize,
                  "launch of " + kernel.shown + " with another cluster size than __cluster_dims__");
  }
  launch.cluster = cluster;
}

// For scripts/mutate.py, which has to know which test launches what.
void trace(const RegisteredKernel& kernel) {
  static const bool wanted = std::getenv("GK_EMULATOR_TRACE") != nullptr;
  if (!wanted) return;
  const std::string& hash = kernel.binary->hashes[gk::emulator::options().arch];
  std::printf("emulator: launch %s %s %s\n", hash.c_str(), kernel.name.c_str(),
              kernel.shown.c_str());
  std::fflush(stdout);
}

std::uint32_t resident_on_device(const KernelFacts& facts, const LaunchConfiguration& launch) {
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  const int each = resident_blocks(facts, threads, launch.dynamic_shared_bytes);
  return static_cast<std::uint32_t>(each * limits::kMultiprocessors);
}

// The interpreter is built for what such a CPU has.
void require_simd() {
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return;
  throw Refusal(cudaErrorNotSupported, "the emulator needs a CPU with AVX2 and FMA");
}

void launch(const void* function, const Pushed& shape, void** arguments, Attributes attributes) {
  require_simd();
  RegisteredKernel& kernel = kernel_of(function);
  stream_of(shape.stream);  // a bad handle is told before anything is loaded
  const KernelFacts& facts = facts_of(kernel);
  auto configuration = std::make_shared<LaunchConfiguration>();
  configuration->grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  configuration->block = {shape.block.x, shape.block.y, shape.block.z};
  for (const cudaLaunchAttribute& attribute : attributes) apply(attribute, *configuration);
  require_cluster(kernel, facts, *configuration);
  configuration->dynamic_shared_bytes = static_cast<std::uint32_t>(shape.shared_bytes);
  check_launch(kernel, facts, *configuration, shape.shared_bytes);
  configuration->resident_blocks = resident_on_device(facts, *configuration);
  configuration->parameters = copied(kernel, facts, arguments);
  const auto module = module_of(*kernel.binary, kernel.shown);
  const gk::emulator::Kernel& code = module->kernel(kernel.name);
  trace(kernel);
  // The code is the module's, which a graph may have to keep after the program unregistered it.
  submit(shape.stream, [module, &code, configuration] {
    gk::emulator::run(code, *configuration);
    context().clock_ns += context().launch_ns;
  });
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): nvcc's own names.
extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     CUstream_st* stream) {
  pushed().push_back({grid, block, shared_bytes, stream});
  return 0;  // else the stub would not be called, and no error be noted
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream) {
  if (pushed().empty()) return note(cudaErrorMissingConfiguration);
  const Pushed shape = pushed().back();
  pushed().pop_back();
  *grid = shape.grid;
  *block = shape.block;
  *shared_bytes = shape.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = shape.stream;
  return cudaSuccess;
}

// Once per stub and kept in a static there, so it must work under a sticky error too. The stub's
// address is handle enough.
cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* function) {
  return release([&] {
    kernel_of(function);
    *handle = static_cast<cudaKernel_t>(const_cast<void*>(function));
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return call([&] { launch(function, {grid, block, shared_bytes, stream}, arguments, {}); });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  return call([&] {
    if (config == nullptr || (config->attrs == nullptr && config->numAttrs > 0)) {
      throw Refusal(cudaErrorInvalidValue, "the launch configuration or its attributes are null");
    }
    launch(function, {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream},
           arguments, {config->attrs, config->numAttrs});
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  return call([&] {
    launch(function, {grid, block, shared_bytes, stream}, arguments, {&cooperative, 1});
  });
}
