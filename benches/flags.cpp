// SPDX-License-Identifier: Apache-2.0
#include "benches/flags.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "gk/machine.hpp"
#include "gk/text.hpp"

namespace gk::benches {
namespace {

constexpr std::int64_t kMostSize = 1 << 28;  // of one axis: products of two stay far from overflow
constexpr std::int64_t kMostBatch = 1 << 16;

Shape parse_shape(const Parser& parser, const std::string& text) {
  Shape shape;
  for (const std::string& part : split(text, ',')) {
    const auto colon = part.find(':');
    if (colon == 0 || colon == std::string::npos || colon + 1 == part.size()) {
      parser.fail("'" + part + "' is not AXIS:VALUE");
    }
    const std::string name = part.substr(0, colon), value = part.substr(colon + 1);
    if (std::ranges::count(shape, name, &Axis::name) != 0) {
      parser.fail("the axis '" + name + "' stands twice");
    }
    const bool is_word = std::isalpha(static_cast<unsigned char>(value.front())) != 0;
    if (is_word) {
      shape.push_back({name, value});
    } else {
      shape.push_back({name, parser.integer(value, 1, name == "batch" ? kMostBatch : kMostSize)});
    }
  }
  return shape;
}

Device parse_device(const Parser& parser, const std::string& text) {
  if (text == "auto" || text == "cpu") return {};
  if (text == "cuda") return {DeviceKind::kCuda, 0};
  if (!text.starts_with("cuda:"))
    parser.fail("'" + text + "' is not one of auto, cpu, cuda, cuda:N");
  return {DeviceKind::kCuda, static_cast<int>(parser.integer(text.substr(5), 0, 1023))};
}

// "0.1" or "0.1s".
double parse_seconds(const Parser& parser, std::string text) {
  const std::string shown = text;
  if (text.ends_with('s')) text.pop_back();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !std::isfinite(value) || value <= 0 || value > 3600) {
    parser.fail("'" + shown + "' is not a time like 0.5 or 0.5s, above 0 and at most 3600 s");
  }
  return value;
}

void parse_dtypes(Parser& p, const std::string& value) {
  for (const std::string& name : split(value, ',')) {
    const auto dtype = parse_dtype(name);
    if (!dtype) p.fail("'" + name + "' is not one of f32, bf16");
    p.arguments.sweep.dtypes.push_back(*dtype);
  }
}

void parse_threads(Parser& p, const std::string& value) {
  const int cores = machine().cores;
  p.arguments.threads = static_cast<int>(p.integer(value, 1, 1 << 16));
  if (p.arguments.threads > cores) {
    p.fail(value + " threads, but this process may use " + std::to_string(cores) + " cores");
  }
}

void parse_context(Parser& p, const std::string& value) {
  const auto equals = value.find('=');
  if (equals == 0 || equals == std::string::npos) p.fail("'" + value + "' is not KEY=VALUE");
  p.arguments.context[value.substr(0, equals)] = value.substr(equals + 1);
}

void ignore(Parser&, const std::string&) {}

}  // namespace

// A table.  NOLINTNEXTLINE(readability-function-size)
const std::vector<Flag>& own_flags() {
  static const std::vector<Flag> flags = {
      {"--gk_model", "NAME|PATH", "sweep this model's layers: a preset, or a config.json",
       [](Parser& p, const std::string& value) {
         p.arguments.sweep.model = load_model(value);
         p.arguments.sweep.model_given = true;
       }},
      {"--gk_shape", "AXIS:VALUE,...", "measure this shape instead of a sweep; may be repeated",
       [](Parser& p, const std::string& value) {
         p.arguments.sweep.shapes.push_back(parse_shape(p, value));
       }},
      {"--gk_dtype", "f32|bf16,...", "element types", parse_dtypes},
      {"--gk_batch", "N,...", "batch sizes of decode",
       [](Parser& p, const std::string& value) {
         p.arguments.sweep.batches = p.integers(value, kMostBatch);
       }},
      {"--gk_tokens", "N,...", "token counts of prefill (no op of this build has them yet)",
       [](Parser& p, const std::string& value) {
         p.arguments.sweep.tokens = p.integers(value, kMostSize);
       }},
      {"--gk_threads", "N", "OpenMP threads (default 1: what holds on a shared machine)",
       parse_threads},
      {"--gk_device", "auto|cpu|cuda[:N]", "where to run",
       [](Parser& p, const std::string& value) { p.arguments.device = parse_device(p, value); }},
      {"--gk_preset", "brief|quick|default|full", "how much to sweep, and how long per member",
       [](Parser& p, const std::string& value) {
         const auto preset = parse_preset(value);
         if (!preset) p.fail("'" + value + "' is not one of brief, quick, default, full");
         p.arguments.sweep.preset = *preset;
       }},
      {"--gk_cache", "cold|warm|both", "operands in memory (default) or in the caches",
       [](Parser& p, const std::string& value) {
         p.cache_wish = p.one_of(value, {"cold", "warm", "both"});
       }},
      {"--gk_seed", "N", "seed of all inputs (default 1)",
       [](Parser& p, const std::string& value) {
         p.arguments.seed = static_cast<std::uint64_t>(p.integer(value, 0, INT64_MAX));
       }},
      {"--gk_strict", "", "exit with 1 when a row is suspect",
       [](Parser& p, const std::string& value) { p.arguments.strict = p.boolean(value); }},
      {"--gk_list", "json", "print the cases with their work, and measure nothing",
       [](Parser& p, const std::string& value) {
         p.one_of(value, {"json"});
         p.arguments.list_json = true;
       }},
      {"--gk_profile", "", "run each case once, verified, for a profiler to attach",
       [](Parser& p, const std::string& value) { p.arguments.profile = p.boolean(value); }},
  };
  return flags;
}

void refuse(Parser& p, const std::string&) {
  p.fail(
      "not supported: blocks are warmed up, interleaved and repeated by gk_bench itself, and "
      "aggregates are left to the reader");
}

const std::vector<Flag>& library_flags() {
  static const std::vector<Flag> flags = {
      {"--benchmark_filter", "REGEX", "POSIX extended; a leading - negates",
       [](Parser& p, const std::string& value) { p.arguments.filter = value; }},
      {"--benchmark_list_tests", "", "print the names that match, and measure nothing",
       [](Parser& p, const std::string& value) { p.arguments.list_tests = p.boolean(value); }},
      {"--benchmark_min_time", "SECONDS", "budget of timing per member, instead of the preset's",
       [](Parser& p, const std::string& value) { p.budget_s = parse_seconds(p, value); }},
      {"--benchmark_repetitions", "N", "whole blocks, prepared anew",
       [](Parser& p, const std::string& value) {
         p.arguments.repetitions = static_cast<int>(p.integer(value, 1, 10000));
       }},
      {"--benchmark_out", "FILE", "write the result file (docs/results.md)",
       [](Parser& p, const std::string& value) {
         if (value.empty()) p.fail("a file name is missing");
         p.arguments.out = value;
       }},
      {"--benchmark_out_format", "json", "of the result file",
       [](Parser& p, const std::string& value) { p.one_of(value, {"json"}); }},
      {"--benchmark_format", "console|json", "what to print; json prints the result file",
       [](Parser& p, const std::string& value) {
         p.arguments.json_to_stdout = p.one_of(value, {"console", "json"}) == "json";
       }},
      {"--benchmark_color", "auto|true|false", "colour on the console; NO_COLOR is respected",
       [](Parser& p, const std::string& value) {
         p.arguments.color = p.one_of(value, {"auto", "true", "false"});
       }},
      {"--benchmark_context", "KEY=VALUE", "kept in the result file", parse_context},
      {"--benchmark_counters_tabular", "", "always so", ignore},
      {"--benchmark_min_warmup_time", "", "", refuse},
      {"--benchmark_enable_random_interleaving", "", "", refuse},
      {"--benchmark_report_aggregates_only", "", "", refuse},
      {"--benchmark_display_aggregates_only", "", "", refuse},
      {"--benchmark_perf_counters", "", "", refuse},
      {"--benchmark_time_unit", "us", "of the result file",
       [](Parser& p, const std::string& value) { p.one_of(value, {"us"}); }},
  };
  return flags;
}

}  // namespace gk::benches
