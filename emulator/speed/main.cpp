// SPDX-License-Identifier: Apache-2.0
// gk_emulator_speed: how fast the emulator executes the CUDA kernels, in thread instructions a
// second; once with bounds checks alone and once with everything that the tests check.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "emulator/control.hpp"
#include "gk/cuda_memory.hpp"
#include "gk/registry.hpp"

namespace gk::emulator {
namespace {

constexpr std::int64_t kMemoryBytes = std::int64_t{1} << 30;

void execute(benchmark::State& state, const Case& one, bool all_checks) {
  options().races = options().uninitialised = all_checks;
  CudaMemory memory(kMemoryBytes);
  Scratch scratch(memory);
  Arena set(memory, scratch, 1);
  one.operands(set);
  const Launch launch = one.plans().front().bind(set);
  const Executed before = executed();
  for ([[maybe_unused]] auto each : state) launch(nullptr);
  const auto instructions =
      static_cast<double>(executed().thread_instructions - before.thread_instructions);
  state.counters["thread_instructions_per_s"] =
      benchmark::Counter(instructions, benchmark::Counter::kIsRate);
}

void register_all() {
  Sweep sweep;
  sweep.shapes = {{{"rows", std::int64_t{256}}, {"cols", std::int64_t{4096}}}};
  for (const Case& one : cases(sweep, {.kind = DeviceKind::kCuda})) {
    for (const bool all_checks : {false, true}) {
      const std::string name = one.op + "/" + one.implementation +
                               one.problem().substr(one.op.size()) +
                               (all_checks ? "/all_checks" : "/bounds_only");
      benchmark::RegisterBenchmark(name.c_str(), execute, one, all_checks)
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace
}  // namespace gk::emulator

int main(int argc, char** argv) {
  gk::emulator::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
