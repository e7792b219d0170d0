// SPDX-License-Identifier: Apache-2.0
// The command line: our own flags beside Google Benchmark's, which we parse ourselves.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gk/registry.hpp"

namespace gk::benches {

struct Arguments {
  Sweep sweep;
  std::vector<Cache> caches = {Cache::kCold};
  std::string cache_wish = "cold";  // as asked: cold, warm or both
  Device device;
  int threads = 1;
  std::uint64_t seed = 1;
  double budget_s = 0.5;  // of timing, per member of a block
  int repetitions = 1;
  std::string filter;
  std::string out;             // result file; empty: none
  std::string color = "auto";  // auto, true or false
  bool json_to_stdout = false, list_tests = false, list_json = false;
  bool strict = false, profile = false, help = false;
  std::map<std::string, std::string> context;  // --benchmark_context=KEY=VALUE
};

// Reads one environment variable and forgets it: BENCHMARK_* variables are flags too, and the
// library must not see them again.
using TakeVariable = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<std::string> take_environment(const std::string& name);

// `words` are argv without the program's name. Throws InputError.
Arguments parse_arguments(const std::vector<std::string>& words, const TakeVariable& variable);

std::string help_text();

}  // namespace gk::benches
