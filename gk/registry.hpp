// SPDX-License-Identifier: Apache-2.0
// The meeting of problems and implementations: every pair is a Case, and a Case is a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gk/problem.hpp"
#include "gk/sweep.hpp"

namespace gk {

enum class DeviceKind : std::uint8_t { kCpu, kCuda };

struct Device {
  DeviceKind kind = DeviceKind::kCpu;
  int ordinal = 0;  // never in a benchmark's name

  std::string text() const {
    return (kind == DeviceKind::kCpu ? "cpu:" : "cuda:") + std::to_string(ordinal);
  }
  bool operator==(const Device&) const = default;
};

// One problem met by one implementation. Making a Case touches no device and allocates no operand.
struct Case {
  std::string op, implementation;
  DType dtype;
  std::vector<Axis> axes;
  std::vector<std::string> roles;
  Device device;
  Work work;
  std::int64_t rows, terms;
  std::optional<Cache> only;                      // a stream sized for one level has one state
  std::function<void(Arena&)> operands;           // makes the set's tensors, nothing else
  std::function<std::vector<Plan>()> plans;       // untimed; the engine keeps the fastest
  std::function<ReferenceRow(Arena&)> reference;  // from the set's own inputs

  // "gemv_decode/bf16/n:4096/k:4096/batch:1/epilogue:none": equal for all members of a block.
  std::string problem() const;
  // "gemv_decode/cpu_fused/bf16/n:4096/k:4096/batch:1/epilogue:none/cold"
  std::string name(Cache cache) const;
  // Vendor libraries are what we compare with; everything else is ours.
  bool is_vendor() const;
  bool is_ceiling() const { return op.starts_with("ceiling_"); }
};

// What one implementation file registered.
struct Registered {
  std::string_view op, implementation;
  DeviceKind device;
  std::function<std::vector<Case>(const Sweep&)> cases;
};

// All registered implementations, ordered by op and then by implementation.
std::vector<Registered>& registry();

// Name and version of every library that a linked-in implementation uses.
std::map<std::string, std::string>& library_versions();

// All cases of a sweep on `device`: problem by problem, the implementations of each together.
std::vector<Case> cases(const Sweep& sweep, Device device);

// A namespace-scope constant of this type is all that an implementation file adds.
template <Problem P>
struct Implementation {
  // `applies` leaves out problems that the implementation is not about (an unfused chain where
  // there is nothing to unfuse). What it is about and cannot do here, `plans` throws as
  // Unsupported.
  Implementation(
      std::string_view name, DeviceKind device, std::function<std::vector<Plan>(const P&)> plans,
      std::function<bool(const P&)> applies = [](const P&) { return true; }) {
    registry().push_back({P::kName, name, device, [=](const Sweep& sweep) {
                            std::vector<Case> made;
                            for (const P& problem : P::sweep(sweep)) {
                              if (!applies(problem)) continue;
                              made.push_back(make_case(problem, name, device, plans));
                            }
                            return made;
                          }});
  }

 private:
  static std::optional<Cache> only_cache(const P& problem) {
    if constexpr (requires { problem.only_cache(); }) return problem.only_cache();
    return std::nullopt;
  }

  static Case make_case(const P& problem, std::string_view name, DeviceKind device,
                        const std::function<std::vector<Plan>(const P&)>& plans) {
    return {.op = std::string(P::kName),
            .implementation = std::string(name),
            .dtype = problem.dtype,
            .axes = problem.axes(),
            .roles = problem.roles,
            .device = {.kind = device},
            .work = problem.work(),
            .rows = problem.rows(),
            .terms = problem.terms(),
            .only = only_cache(problem),
            .operands = [problem](Arena& arena) { static_cast<void>(problem.operands(arena)); },
            .plans = [problem, plans] { return plans(problem); },
            .reference = [problem](Arena& arena) { return problem.reference(arena); }};
  }
};

}  // namespace gk
