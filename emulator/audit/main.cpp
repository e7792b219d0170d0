// SPDX-License-Identifier: Apache-2.0
// gk_audit: runs every CUDA plan once in the emulator and prints what it moved, as JSON, for
// scripts/audit.sh. Nothing here is a time.
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "emulator/audit.hpp"
#include "emulator/control.hpp"
#include "emulator/interpreter/code.hpp"
#include "gk/cuda_memory.hpp"
#include "gk/registry.hpp"

namespace gk::emulator {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostBytes = 64 << 20;  // of one operand set: the audit looks at every byte
constexpr std::int64_t kCeilingBytes = 3 << 20;
constexpr int kBadUsage = 2, kNothingDone = 4;

Shape shape(std::int64_t rows, std::int64_t cols) { return {{"rows", rows}, {"cols", cols}}; }

// A size of a model's, a small one, and a ragged one; streams of 3 MiB.
std::vector<Case> audited_cases() {
  Sweep sweep;
  sweep.shapes = {shape(64, 4096), shape(16, 1024), shape(7, 1021)};
  const Device device{.kind = DeviceKind::kCuda};
  std::vector<Case> all = cases(sweep, device);
  Sweep ceilings;
  ceilings.levels = {
      {.name = "dram", .capacity_bytes = kCeilingBytes, .plateau_bytes = kCeilingBytes}};
  for (Case& ceiling : cases(ceilings, device)) {
    if (ceiling.is_ceiling()) all.push_back(std::move(ceiling));
  }
  return all;
}

std::int64_t operand_bytes(const Case& one) {
  CountingMemory counting;
  Scratch scratch(counting);
  Arena arena(counting, scratch, 0);
  one.operands(arena);
  return arena.operand_bytes();
}

// A benchmark's name without a cache state, which the audit does not have.
std::string title(const Case& one) {
  return one.op + "/" + one.implementation + one.problem().substr(one.op.size());
}

Json numbers(const Case& one, std::int64_t outputs) {
  const Audit& audit = audited();
  const auto per_output = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(outputs);
  };
  const auto ratio = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  return {{"kernels", audit.kernels},
          {"dynamic_shared_bytes", audit.dynamic_shared_bytes},
          {"compulsory_read_bytes", one.work.read_bytes},
          {"compulsory_written_bytes", one.work.written_bytes},
          {"read_bytes", audit.traffic.first_reads * kSectorBytes},
          {"written_bytes", audit.traffic.first_writes * kSectorBytes},
          {"reread_bytes", audit.traffic.repeated_reads * kSectorBytes},
          {"sectors_per_load", ratio(audit.load_sectors, audit.load_requests)},
          {"sectors_per_store", ratio(audit.store_sectors, audit.store_requests)},
          {"load_efficiency", ratio(audit.least_load_sectors, audit.load_sectors)},
          {"store_efficiency", ratio(audit.least_store_sectors, audit.store_sectors)},
          {"bank_conflicts", audit.bank_conflicts},
          {"bytes_in_flight_per_thread", audit.bytes_in_flight_per_thread},
          {"instructions_per_output", per_output(audit.thread_instructions)},
          {"multiply_adds_per_output", per_output(audit.of(Class::kMultiplyAdd))},
          {"special_per_output", per_output(audit.of(Class::kSpecial))},
          {"integer_per_output", per_output(audit.of(Class::kInteger))}};
}

std::int64_t output_elements(const Arena& set) {
  std::int64_t sum = 0;
  for (const Tensor& output : set.outputs()) sum += output.size();
  return sum;
}

Json audit_plan(const Case& one, const Plan& plan) {
  Json row{{"case", title(one)}, {"plan", plan.detail}, {"fault", nullptr}};
  try {
    CudaMemory memory(4 * kMostBytes);
    Scratch scratch(memory);
    Arena set(memory, scratch, 1);
    one.operands(set);
    const Launch launch = plan.bind(set);
    reset_audit();
    launch(nullptr);
    row.update(numbers(one, output_elements(set)));
  } catch (const std::exception& error) {
    row["fault"] = last_fault() ? last_fault()->what() : error.what();
  }
  if (last_fault()) reset();
  return row;
}

Json audit_case(const Case& one) {
  const std::string name = title(one);
  if (operand_bytes(one) > kMostBytes) {
    return {{{"case", name}, {"skipped", "its operands are over 64 MiB"}}};
  }
  Json rows = Json::array();
  try {
    for (const Plan& plan : one.plans()) rows.push_back(audit_plan(one, plan));
  } catch (const Unsupported& reason) {
    rows.push_back({{"case", name}, {"skipped", reason.what()}});
  }
  return rows;
}

int run(const std::regex& filter) {
  options().audit = true;
  Json all = Json::array();
  for (const Case& one : audited_cases()) {
    const std::string name = one.name(Cache::kCold);
    if (!std::regex_search(name, filter)) continue;
    for (Json& row : audit_case(one)) all.push_back(std::move(row));
  }
  std::cout << all.dump(1) << '\n';
  return all.empty() ? kNothingDone : 0;
}

}  // namespace
}  // namespace gk::emulator

int main(int argc, char** argv) {
  if (argc > 2) {
    std::cerr << "gk_audit: one regular expression at most, over names of benchmarks\n";
    return gk::emulator::kBadUsage;
  }
  try {
    return gk::emulator::run(std::regex(argc == 2 ? argv[1] : "", std::regex::extended));
  } catch (const std::regex_error&) {
    std::cerr << "gk_audit: '" << argv[1] << "' is no regular expression\n";
    return gk::emulator::kBadUsage;
  } catch (const std::exception& error) {
    std::cerr << "gk_audit: " << error.what() << '\n';
    return 1;
  }
}
