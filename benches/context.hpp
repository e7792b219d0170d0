// SPDX-License-Identifier: Apache-2.0
// Under which circumstances a run was made: the context of a result file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "benches/arguments.hpp"
#include "benches/measure/ceilings.hpp"
#include "benches/row.hpp"

namespace gk::benches {

// Peaks of a device that gk/devices.json knows, by its own name for it.
struct Datasheet {
  std::string key;
  double dram_bytes_per_s;
  // FLOP/s of a dtype on a unit, where the sheet has it.
  std::function<std::optional<double>(DType, Unit)> peak_flop_per_s;
};

// The entry of this device, or null: an unknown machine gets no other machine's figures.
std::optional<Datasheet> datasheet_of(const Device& device);
std::optional<double> percent_of_datasheet(const Datasheet& datasheet, const Row& row);

// "2026-01-31T12:00:00Z"
std::string utc_now();

struct RunInfo {
  const Arguments& arguments;
  std::vector<std::string> command_line;  // argv
  double timer_resolution_s = 0;
  std::vector<measure::Ceiling> ceilings;
  double floor_cold_ns = 0, floor_warm_ns = 0;  // of an empty launch
};

nlohmann::ordered_json context_json(const RunInfo& info);

}  // namespace gk::benches
