// SPDX-License-Identifier: Apache-2.0
#include "benches/arguments.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "gk/machine.hpp"
#include "gk/text.hpp"

namespace gk::benches {
namespace {

constexpr std::int64_t kMostSize = 1 << 28;  // of one axis: products of two stay far from overflow
constexpr std::int64_t kMostBatch = 1 << 16;

struct Parser;
using Apply = void (*)(Parser& parser, const std::string& value);

// `hint` is what --help shows after the name; a flag without one takes true, false or nothing.
struct Flag {
  std::string name, hint, help;
  Apply apply;
};

// What the flags write to, with what is settled only when all were read.
struct Parser {
  Arguments& arguments;
  std::string flag;  // being parsed, for errors
  std::optional<std::string> cache_wish;
  std::optional<double> budget_s;

  [[noreturn]] void fail(const std::string& what) const { throw InputError(flag + ": " + what); }

  std::int64_t integer(const std::string& text, std::int64_t least, std::int64_t most) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
      fail("'" + text + "' is not an integer from " + std::to_string(least) + " to " +
           std::to_string(most));
    }
    return value;
  }

  std::vector<std::int64_t> integers(const std::string& text, std::int64_t most) const {
    std::vector<std::int64_t> values;
    for (const std::string& part : split(text, ',')) values.push_back(integer(part, 1, most));
    return values;
  }

  bool boolean(const std::string& text) const {
    if (text.empty() || text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    fail("'" + text + "' is neither true nor false");
  }

  std::string one_of(const std::string& text, const std::vector<std::string>& known) const {
    if (std::ranges::count(known, text) == 0) {
      fail("'" + text + "' is not one of " + join(known, ", "));
    }
    return text;
  }
};

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

void ignore(Parser&, const std::string&) {}

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

const Flag* find_flag(const std::string& name) {
  for (const auto* flags : {&own_flags(), &library_flags()}) {
    const auto found = std::ranges::find(*flags, name, &Flag::name);
    if (found != flags->end()) return &*found;
  }
  return nullptr;
}

void apply_word(Parser& parser, const std::string& word) {
  const auto equals = word.find('=');
  const Flag* flag = find_flag(word.substr(0, equals));
  if (flag == nullptr) throw InputError("unknown flag '" + word + "'; see --help");
  parser.flag = flag->name;
  if (equals == std::string::npos && !flag->hint.empty()) {
    parser.fail("a value is missing, as in " + flag->name + "=" + flag->hint);
  }
  flag->apply(parser, equals == std::string::npos ? "" : word.substr(equals + 1));
}

// BENCHMARK_FILTER=x is --benchmark_filter=x, unless the command line says otherwise.
void apply_environment(Parser& parser, const TakeVariable& variable) {
  for (const Flag& flag : library_flags()) {
    std::string name = flag.name.substr(2);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    if (const auto value = variable(name)) {
      parser.flag = "environment variable " + name;
      flag.apply(parser, *value);
    }
  }
}

double budget_of(Preset preset) {
  switch (preset) {
    case Preset::kBrief:
      return 0.1;
    case Preset::kQuick:
      return 0.2;
    case Preset::kDefault:
      return 0.5;
    case Preset::kFull:
      return 2;
  }
  return 0.5;
}

void settle(Parser& parser) {
  Arguments& a = parser.arguments;
  if (!a.sweep.model_given) a.sweep.model = load_model("llama-3-8b");
  a.budget_s = parser.budget_s.value_or(budget_of(a.sweep.preset));
  const bool names_warm = a.filter.ends_with("/warm") && !a.filter.starts_with('-');
  if (!parser.cache_wish && names_warm) parser.cache_wish = "warm";
  if (!parser.cache_wish && a.sweep.preset == Preset::kFull) parser.cache_wish = "both";
  a.cache_wish = parser.cache_wish.value_or("cold");
  if (a.cache_wish == "warm") a.caches = {Cache::kWarm};
  if (a.cache_wish == "both") a.caches = {Cache::kCold, Cache::kWarm};
  if (a.profile && !a.out.empty()) {
    throw InputError("--gk_profile measures nothing, so there is nothing for --benchmark_out");
  }
}

void append_flags(std::string& text, const std::vector<Flag>& flags) {
  for (const Flag& flag : flags) {
    if (flag.apply == refuse) continue;
    std::string left = "  " + flag.name + (flag.hint.empty() ? "" : "=" + flag.hint);
    left.resize(std::max<std::size_t>(left.size() + 2, 44), ' ');
    text += left + flag.help + "\n";
  }
}

}  // namespace

std::optional<std::string> take_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  std::string kept = value;
  unsetenv(name.c_str());
  return kept;
}

Arguments parse_arguments(const std::vector<std::string>& words, const TakeVariable& variable) {
  Arguments arguments;
  Parser parser{.arguments = arguments, .flag = {}, .cache_wish = {}, .budget_s = {}};
  arguments.help = std::ranges::count(words, "--help") + std::ranges::count(words, "-h") > 0;
  if (arguments.help) return arguments;
  apply_environment(parser, variable);
  for (const std::string& word : words) apply_word(parser, word);
  settle(parser);
  return arguments;
}

std::string help_text() {
  std::string text =
      "gk_bench: kernels and vendor libraries, verified, timed, and set on a measured roofline.\n\n"
      "Examples\n"
      "  gk_bench --benchmark_filter=decode                  decode shapes of Llama-3-8B\n"
      "  gk_bench --gk_model=qwen3-8b --gk_preset=quick      another model, in a few minutes\n"
      "  gk_bench --gk_model=path/to/config.json             any Hugging Face config\n"
      "  gk_bench --gk_shape=n:4096,k:14336,batch:1 --gk_dtype=bf16\n"
      "  gk_bench --benchmark_filter=ceiling                 what this machine can do\n"
      "  gk_bench --gk_preset=brief --benchmark_out=run.json keep the results\n\n"
      "Flags\n";
  append_flags(text, own_flags());
  text += "\nGoogle Benchmark's flags\n";
  append_flags(text, library_flags());
  text += "\nModel presets: " + join(model_presets(), ", ") +
          "\n\nExit codes: 0 all well; 1 wrong result, or suspect under --gk_strict; 2 bad input;\n"
          "3 not comparable; 4 nothing measured, or rows errored or hung.\n";
  return text;
}

}  // namespace gk::benches
