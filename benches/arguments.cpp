// SPDX-License-Identifier: Apache-2.0
#include "benches/arguments.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "benches/flags.hpp"
#include "gk/text.hpp"

namespace gk::benches {
namespace {

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
  if ((a.profile || a.list_json || a.list_tests) && !a.out.empty()) {
    throw InputError("--benchmark_out: a profile or a listing measures nothing to write");
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
