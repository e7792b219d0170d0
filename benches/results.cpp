// SPDX-License-Identifier: Apache-2.0
#include "benches/results.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "benches/context.hpp"

namespace gk::benches {
namespace {

using Json = nlohmann::ordered_json;
using measure::Outcome;

constexpr double kMicro = 1e6;

// JSON has no NaN and no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json text(const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); }

Json axes_json(const Case& problem) {
  Json axes = Json::object();
  for (const Axis& axis : problem.axes) {
    std::visit([&](const auto& value) { axes[axis.name] = value; }, axis.value);
  }
  return axes;
}

// Google Benchmark's own keys.
Json library_keys(const std::string& name, int repetition, int repetitions) {
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", repetitions},
          {"repetition_index", repetition},
          {"threads", 1},
          {"iterations", 0},
          {"real_time", 0.0},
          {"cpu_time", 0.0},
          {"time_unit", "us"}};
}

// What the problem defines, measured or not.
void add_problem(Json& row, const Case& problem, Cache cache) {
  const Work& work = problem.work;
  row["op"] = problem.op;
  row["implementation"] = problem.implementation;
  row["dtype"] = name_of(problem.dtype);
  row["axes"] = axes_json(problem);
  row["cache"] = name_of(cache);
  row["roles"] = problem.roles;
  row["device"] = problem.device.text();
  row["flops"] = work.flops;
  row["read_bytes"] = work.read_bytes;
  row["written_bytes"] = work.written_bytes;
  row["unit"] = name_of(work.unit);
  row["intensity_flop_per_byte"] = work.intensity();
}

void add_roof(Json& row, const Row& about) {
  const measure::Roof& roof = about.outcome.roof;
  row["bound"] = !roof.bytes_per_s ? Json(nullptr) : roof.memory_bound ? "memory" : "compute";
  row["ceiling_bytes_per_s"] = number(roof.bytes_per_s);
  row["ceiling_level"] = text(roof.level);
  row["ceiling_flop_per_s"] = number(roof.flop_per_s);
  row["percent_of_ceiling"] = number(roof.percent);
  row["percent_reason"] = text(roof.percent_reason);
  const auto datasheet = datasheet_of(about.problem.device);
  row["percent_of_datasheet"] =
      datasheet ? number(percent_of_datasheet(*datasheet, about)) : Json(nullptr);
}

Json samples_us(const Outcome& outcome) {
  Json samples = Json::array();
  for (const double seconds : outcome.samples_s) samples.push_back(seconds * kMicro);
  return samples;
}

void add_measurement(Json& row, const Row& about) {
  const Outcome& o = about.outcome;
  row["flop_per_s"] = number(about.flop_per_s());
  row["bytes_per_s"] = number(about.bytes_per_s());
  add_roof(row, about);
  row["best_vendor"] = text(o.best_vendor);
  row["speedup_vs_best_vendor"] = number(o.speedup);
  row["speedup_p10"] = number(o.speedup_p10);
  row["speedup_p90"] = number(o.speedup_p90);
  row["plan"] = o.plan;
  row["plans_tried"] = o.plans_tried;
  row["first_plan_time"] = number(o.first_plan_s * kMicro);
  row["cold_factor"] = number(o.cold_factor);
  row["bytes_between_uses"] = o.cold_factor ? Json(o.sets * o.set_bytes) : Json(nullptr);
  row["sets"] = o.sets;
  row["samples_us"] = samples_us(o);
  row["calls_per_sample"] = o.calls_per_sample;
  row["samples_dropped"] = o.samples_dropped;
  row["stop_reason"] = o.stop_reason;
  row["relative_precision"] = number(o.relative_precision);
  row["max_error"] = number(o.max_error);
  row["tolerance_used"] = number(o.tolerance_used);
  row["suspect"] = text(o.suspect);
  row["throttled"] = text(o.throttled);
  row["evidence"] = {{"frequency_first_mhz", number(o.evidence.frequency_first_mhz)},
                     {"frequency_last_mhz", number(o.evidence.frequency_last_mhz)},
                     {"involuntary_switches", o.evidence.involuntary_switches}};
}

// The measured keys of a row without a time: all null, in the same order.
void add_nulls(Json& row, const Case& problem, Cache cache) {
  const Outcome nothing;
  Json keys;
  add_measurement(keys, {problem, cache, nothing, 0, 1});
  for (const auto& [key, value] : keys.items()) row[key] = nullptr;
}

}  // namespace

Json row_json(const Row& about) {
  const Outcome& outcome = about.outcome;
  Json row = library_keys(about.problem.name(about.cache), about.repetition, about.repetitions);
  if (outcome.measured()) {
    row["iterations"] = outcome.calls;
    row["real_time"] = outcome.median_s * kMicro;
    row["cpu_time"] = outcome.cpu_s * kMicro;
  } else {
    row["error_occurred"] = true;
    row["error_message"] = outcome.message;
  }
  row["status"] = name_of(outcome.status);
  add_problem(row, about.problem, about.cache);
  if (outcome.measured()) {
    add_measurement(row, about);
  } else {
    add_nulls(row, about.problem, about.cache);
  }
  return row;
}

Json listed_json(const Case& problem, Cache cache) {
  Json row = library_keys(problem.name(cache), 0, 1);
  row["status"] = "listed";
  add_problem(row, problem, cache);
  add_nulls(row, problem, cache);
  return row;
}

// What comes from outside (a model name, a command line) may not be UTF-8; the file always is.
static std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void DocumentWriter::begin(const Json& context) {
  *out_ << "{\n\"context\": " << dumped(context) << ",\n\"benchmarks\": [";
}

void DocumentWriter::add(const Json& row) {
  *out_ << (first_ ? "\n" : ",\n") << dumped(row);
  first_ = false;
  out_->flush();
}

void DocumentWriter::end(bool complete) {
  *out_ << "\n],\n\"end_utc\": " << dumped(utc_now())
        << ",\n\"complete\": " << (complete ? "true" : "false") << "\n}\n";
  out_->flush();
}

// The file that a symbolic link names, so that writing does not replace the link.
static std::string resolved(const std::string& path) {
  std::error_code error;
  const bool is_link = std::filesystem::is_symlink(path, error);
  const auto target = std::filesystem::canonical(path, error);
  return is_link && !error ? target.string() : path;
}

ResultFile::ResultFile(const std::string& path)
    : path_(resolved(path)), partial_(path_ + ".partial"), writer_(file_) {
  namespace fs = std::filesystem;
  const auto fail = [](const std::string& what) { throw InputError("--benchmark_out: " + what); };
  std::error_code error;
  if (fs::is_directory(path_, error)) fail(path_ + " is a folder");
  if (fs::exists(path_, error) && !fs::is_regular_file(path_, error)) {
    fail(path_ + " is not a regular file");
  }
  const fs::path folder = fs::path(path_).parent_path();
  if (!folder.empty()) fs::create_directories(folder, error);
  errno = 0;
  lock_ = ::open(partial_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock_ < 0) fail("cannot write " + partial_ + ": " + std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) fail("another run is writing " + partial_);
  file_.open(partial_, std::ios::binary | std::ios::trunc);
  if (!file_) fail("cannot write " + partial_ + ": " + std::strerror(errno));
  file_.imbue(std::locale::classic());
}

ResultFile::~ResultFile() {
  if (lock_ >= 0) ::close(lock_);
}

void ResultFile::begin(const Json& context) {
  writer_.begin(context);
  check("writing");
}

void ResultFile::add(const Json& row) {
  writer_.add(row);
  check("writing");
}

void ResultFile::finish(bool complete) {
  writer_.end(complete);
  file_.close();
  check("closing");
  std::error_code error;
  std::filesystem::rename(partial_, path_, error);
  if (error)
    throw InputError("cannot rename " + partial_ + " to " + path_ + ": " + error.message());
}

void ResultFile::check(const char* doing) {
  if (!file_) {
    throw InputError(std::string("failed while ") + doing + " " + partial_ + ": " +
                     std::strerror(errno) + "; whole rows up to here are in it");
  }
}

}  // namespace gk::benches
