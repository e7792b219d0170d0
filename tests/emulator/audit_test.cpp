// SPDX-License-Identifier: Apache-2.0
// The bytes that a roofline claims are the bytes that the fused kernels move: counted, not
// believed.
#include "emulator/audit.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "emulator/control.hpp"
#include "gk/cuda_memory.hpp"
#include "gk/registry.hpp"

namespace gk::emulator {
namespace {

constexpr double kBytesTolerance = 0.02;        // of compulsory bytes, for large operands
constexpr std::int64_t kLargeBytes = 64 << 10;  // below, the number of sectors is exact
constexpr std::int64_t kMiB = 1 << 20;

Shape shape(std::int64_t rows, std::int64_t cols) { return {{"rows", rows}, {"cols", cols}}; }

std::vector<Case> fused_cases() {
  Sweep sweep;
  sweep.shapes = {shape(64, 4096), shape(1, 128), shape(5, 64), shape(7, 1021), shape(66, 129)};
  const Device device{.kind = DeviceKind::kCuda};
  std::vector<Case> all = cases(sweep, device);
  Sweep ceilings;
  ceilings.levels = {{.name = "dram", .capacity_bytes = 3 * kMiB, .plateau_bytes = 3 * kMiB}};
  for (Case& one : cases(ceilings, device)) {
    if (one.is_ceiling()) all.push_back(std::move(one));
  }
  std::erase_if(all, [](const Case& one) { return !one.implementation.starts_with("cuda_fused"); });
  return all;
}

std::uint64_t sectors_of(std::int64_t bytes) {
  return (static_cast<std::uint64_t>(bytes) + kSectorBytes - 1) / kSectorBytes;
}

Range range_of(const Tensor& tensor) {
  const auto begin = reinterpret_cast<std::uint64_t>(tensor.data);
  return {begin, begin + static_cast<std::uint64_t>(tensor.bytes())};
}

// Runs one plan under the audit and hands over its operands while they live.
template <class F>
void audit(const Case& one, const Plan& plan, F&& look) {
  CudaMemory memory(64 * kMiB);
  Scratch scratch(memory);
  Arena set(memory, scratch, 3);
  one.operands(set);
  const Launch launch = plan.bind(set);
  options().audit = true;
  reset_audit();
  launch(nullptr);
  options().audit = false;
  ASSERT_FALSE(last_fault().has_value()) << last_fault()->what();
  look(set);
}

template <class F>
void for_all_plans(F&& look) {
  for (const Case& one : fused_cases()) {
    for (const Plan& plan : one.plans()) {
      SCOPED_TRACE(one.name(Cache::kCold) + " (" + plan.detail + ")");
      audit(one, plan, [&](const Arena& set) { look(one, set); });
    }
  }
}

void expect_bytes(std::uint64_t sectors, double compulsory, const char* what) {
  const auto bytes = static_cast<double>(sectors * kSectorBytes);
  if (compulsory >= static_cast<double>(kLargeBytes)) {
    EXPECT_NEAR(bytes / compulsory, 1.0, kBytesTolerance) << what;
  }
}

TEST(Audit, FusedKernelsMoveTheCompulsoryBytes) {
  for_all_plans([](const Case& one, const Arena&) {
    expect_bytes(audited().traffic.first_reads, one.work.read_bytes, "read");
    expect_bytes(audited().traffic.first_writes, one.work.written_bytes, "written");
  });
}

TEST(Audit, FusedKernelsTouchEverySectorOfTheirOperandsAndNothingElse) {
  for_all_plans([](const Case&, const Arena& set) {
    std::uint64_t reads = 0, writes = 0;
    const std::vector<Tensor> outputs = set.outputs();
    for (const Tensor& tensor : set.tensors()) {
      const bool is_output = std::ranges::any_of(
          outputs, [&](const Tensor& output) { return output.data == tensor.data; });
      (is_output ? writes : reads) += sectors_of(tensor.bytes());
    }
    EXPECT_EQ(audited().traffic.first_reads, reads);
    EXPECT_EQ(audited().traffic.first_writes, writes);
  });
}

// A vector load and the scalar loads of what is left behind it share a sector: once an operand.
TEST(Audit, FusedKernelsRequestNoSectorOfAFullOperandTwice) {
  for_all_plans([](const Case& one, const Arena& set) {
    const std::int64_t full = set.outputs().front().size();
    for (const Tensor& tensor : set.tensors()) {
      if (tensor.size() != full || tensor.rows != one.rows) continue;
      const Traffic traffic = traffic_in(range_of(tensor));
      const bool is_ragged = tensor.bytes() % static_cast<std::int64_t>(kSectorBytes) != 0;
      const std::uint64_t allowed = is_ragged ? 1 : 0;
      EXPECT_LE(traffic.repeated_reads, allowed);
      EXPECT_LE(traffic.repeated_writes, allowed);
    }
  });
}

// PTX instructions per output element. A budget is what was measured at 64 x 4096, and a tenth.
TEST(Audit, FusedKernelsStayWithinTheirInstructionBudget) {
  const std::map<std::string, double> budgets{
      {"elementwise_bias_gelu_residual", 30}, {"elementwise_swiglu", 16}, {"ceiling_stream", 9.9}};
  for_all_plans([&](const Case& one, const Arena& set) {
    const std::int64_t outputs = set.outputs().front().size();
    if (outputs < 64 * 4096) return;  // the threads' own cost is not spread over many elements
    const double each =
        static_cast<double>(audited().thread_instructions) / static_cast<double>(outputs);
    ASSERT_TRUE(budgets.contains(one.op)) << "state a budget";
    EXPECT_LE(each, budgets.at(one.op));
  });
}

TEST(Audit, VectorisedKernelsWasteNoSector) {
  for_all_plans([](const Case& one, const Arena&) {
    const std::string name = one.problem();
    if (name.find("rows:64") == std::string::npos && !one.is_ceiling()) return;
    EXPECT_EQ(audited().load_sectors, audited().least_load_sectors);
    EXPECT_EQ(audited().store_sectors, audited().least_store_sectors);
  });
}

}  // namespace
}  // namespace gk::emulator
