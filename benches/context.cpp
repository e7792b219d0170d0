// SPDX-License-Identifier: Apache-2.0
#include "benches/context.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "build_stamp.hpp"
#include "gk/embedded.hpp"
#include "gk/machine.hpp"

namespace gk::benches {
namespace {

using Json = nlohmann::ordered_json;

std::string formatted(const char* format, const std::tm& time) {
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &time)};
}

// ISO 8601 with the colon in the offset that strftime leaves out.
std::string local_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::string text = formatted("%Y-%m-%dT%H:%M:%S%z", local);
  return text.insert(text.size() - 2, ":");
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// Paths below the source tree become relative to it; any other path keeps only its last part.
std::string public_word(const std::string& word) {
  const auto equals = word.find('=');
  const std::string head = equals == std::string::npos ? "" : word.substr(0, equals + 1);
  const std::string value = equals == std::string::npos ? word : word.substr(equals + 1);
  const bool takes_path = head.empty() || head == "--benchmark_out=" || head == "--gk_model=";
  if (!takes_path || value.find('/') == std::string::npos) return word;
  std::error_code error;  // a working directory that is gone leaves the path as it is
  const std::filesystem::path path = std::filesystem::absolute(value, error).lexically_normal();
  const std::filesystem::path relative = path.lexically_relative(kSourceFolder);
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return head + (inside ? relative.string() : path.filename().string());
}

Json caches_json() {
  Json caches = Json::array();
  for (const Machine::Cache& cache : machine().caches) {
    caches.push_back({{"type", cache.type},
                      {"level", cache.level},
                      {"size", cache.bytes},
                      {"num_sharing", cache.sharing}});
  }
  return caches;
}

Json load_json() {
  std::array<double, 3> load{};
  const int known = getloadavg(load.data(), 3);
  Json json = Json::array();
  for (int i = 0; i < known; ++i) json.push_back(load[static_cast<std::size_t>(i)]);
  return json;
}

Json isa_json() {
  Json names = Json::array();
  for (const Isa isa : {Isa::kAvx2, Isa::kAvx512, Isa::kAvx512Bf16, Isa::kAmxBf16}) {
    if (cpu_has(isa)) names.push_back(name_of(isa));
  }
  return names;
}

// A listing measures nothing.
Json measured(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json machine_json(const RunInfo& info) {
  const Machine& m = machine();
  return {{"device", info.arguments.device.text()},
          {"name", m.name},
          {"uuid", nullptr},
          {"driver", nullptr},
          {"cores", m.cores},
          {"llc_bytes", m.llc_bytes},
          {"memory_bytes", m.memory_bytes},
          {"isa", isa_json()},
          {"governor", text_or_null(m.governor)},
          {"affinity", m.affinity},
          {"huge_pages", text_or_null(m.huge_pages)},
          {"timer_resolution_ns", measured(info.timer_resolution_s * 1e9)},
          {"empty_launch_cold_ns", measured(info.floor_cold_ns)},
          {"empty_launch_warm_ns", measured(info.floor_warm_ns)},
          {"libraries", library_versions()},
          {"emulated", false}};
}

Json ceilings_json(const std::vector<measure::Ceiling>& ceilings) {
  Json all = Json::array();
  for (const measure::Ceiling& ceiling : ceilings) {
    const bool stream = ceiling.is_stream();
    const auto of_stream = [&](auto value) { return stream ? Json(value) : Json(nullptr); };
    const auto of_peak = [&](auto value) { return stream ? Json(nullptr) : Json(value); };
    all.push_back({{"kind", stream ? "bytes" : "flops"},
                   {"reads", of_stream(ceiling.reads)},
                   {"writes", of_stream(ceiling.writes)},
                   {"level", of_stream(ceiling.level)},
                   {"dtype", of_peak(name_of(ceiling.problem->dtype))},
                   {"unit", of_peak(name_of(ceiling.problem->work.unit))},
                   {"value", ceiling.per_s},
                   {"detail", ceiling.detail},
                   {"bytes", of_stream(ceiling.bytes)},
                   {"suspect", text_or_null(ceiling.suspect)}});
  }
  return all;
}

const Json& device_table() {
  static const Json table = Json::parse(embedded_devices.front().text)["devices"];
  return table;
}

// The entry whose list of reported names has this machine's.
std::string datasheet_key(const Device&) {
  for (const auto& [key, entry] : device_table().items()) {
    const auto names = entry["reported_names"].get<std::vector<std::string>>();
    if (std::ranges::count(names, machine().name) != 0) return key;
  }
  return "";
}

// Google Benchmark's own keys, which other tools expect.
Json library_keys() {
  const Machine& m = machine();
  return {{"date", local_now()},
          {"host_name", ""},
          {"executable", "gk_bench"},
          {"num_cpus", m.cores},
          {"mhz_per_cpu", std::lround(m.nominal_mhz)},
          {"cpu_scaling_enabled", !m.governor.empty() && m.governor != "performance"},
          {"caches", caches_json()},
          {"load_avg", load_json()},
          {"library_build_type", kBuildType}};
}

}  // namespace

std::optional<Datasheet> datasheet_of(const Device& device) {
  const std::string key = datasheet_key(device);
  if (key.empty()) return std::nullopt;
  const Json& entry = device_table()[key];
  return Datasheet{.key = key,
                   .dram_bytes_per_s = entry["dram_bytes_per_s"],
                   .peak_flop_per_s = [&entry](DType dtype, Unit unit) -> std::optional<double> {
                     const Json& peaks = entry["peak_flop_per_s"];
                     const std::string type(name_of(dtype)), pipe(name_of(unit));
                     if (!peaks.contains(type) || !peaks[type].contains(pipe)) return std::nullopt;
                     return peaks[type][pipe].get<double>();
                   }};
}

std::optional<double> percent_of_datasheet(const Datasheet& datasheet, const Row& row) {
  const auto peak = datasheet.peak_flop_per_s(row.problem.dtype, row.problem.work.unit);
  if (!peak) return std::nullopt;
  const double attainable =
      std::min(*peak, datasheet.dram_bytes_per_s * row.problem.work.intensity());
  return 100 * row.flop_per_s() / attainable;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return formatted("%Y-%m-%dT%H:%M:%SZ", utc);
}

Json context_json(const RunInfo& info) {
  const Arguments& arguments = info.arguments;
  Json context = library_keys();
  Json words = Json::array({"gk_bench"});
  for (std::size_t i = 1; i < info.command_line.size(); ++i) {
    words.push_back(public_word(info.command_line[i]));
  }
  const std::string key = datasheet_key(arguments.device);
  context["schema_version"] = 1;
  context["start_utc"] = utc_now();
  context["commit"] = text_or_null(kCommit);
  context["dirty"] = std::string(kCommit).empty() ? Json(nullptr) : Json(kDirty);
  context["command_line"] = words;
  context["seed"] = arguments.seed;
  context["distribution"] = "uniform[-1,1) times a scale per operand";
  context["preset"] = name_of(arguments.sweep.preset);
  context["cache"] = arguments.cache_wish;
  context["threads"] = arguments.threads;
  context["budget_s"] = arguments.budget_s;
  context["model"] =
      arguments.sweep.shapes.empty() ? Json(arguments.sweep.model.name) : Json(nullptr);
  context["machine"] = machine_json(info);
  context["ceilings"] = ceilings_json(info.ceilings);
  context["datasheet"] = key.empty() ? Json(nullptr) : device_table()[key];
  for (const auto& [name, value] : arguments.context) {
    if (context.contains(name)) {
      throw InputError("--benchmark_context: the key '" + name + "' is taken");
    }
    context[name] = value;
  }
  return context;
}

}  // namespace gk::benches
