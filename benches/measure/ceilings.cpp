// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "benches/measure/sampling.hpp"
#include "benches/measure/sanity.hpp"
#include "gk/text.hpp"

namespace gk::measure {
namespace {

constexpr double kMostCalibrationS = 0.2;  // per ceiling, at most

std::int64_t number(const Case& problem, std::string_view axis) {
  return integer(problem.axes, axis).value_or(0);
}

std::string text(const Case& problem, std::string_view axis) {
  return word(problem.axes, axis).value_or("");
}

bool is_stream(const Case& problem) { return problem.op == "ceiling_stream"; }

double read_share(double read, double written) { return read / (read + written); }

}  // namespace

PreparedCeiling::PreparedCeiling(const Case& problem, Engine& engine)
    : sets(problem, problem.only.value_or(Cache::kWarm), engine),
      truth(sets, engine),
      member(problem, sets) {
  member.attempt([&] { member.prepare(engine, truth); });
  member.attempt([&] { member.warm_up(engine); });
}

Ceilings::Ceilings(std::vector<Case> cases, Engine& engine)
    : cases_(std::move(cases)), engine_(&engine), base_mark_(engine.memory.mark()) {}

const Case* Ceilings::nearest_stream(const Work& work, const std::string& level) const {
  const double wanted = read_share(work.read_bytes, work.written_bytes);
  const Case* nearest = nullptr;
  double least = 2;
  for (const Case& candidate : cases_) {
    if (!is_stream(candidate) || text(candidate, "level") != level) continue;
    const double share = read_share(candidate.work.read_bytes, candidate.work.written_bytes);
    if (const double distance = std::abs(share - wanted); distance < least) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest;
}

// On a CPU both units mean the best instruction for the dtype; a GPU's are apart.
const Ceiling* Ceilings::highest_peak(const Case& problem) {
  const Ceiling* highest = nullptr;
  for (const Case& candidate : cases_) {
    if (is_stream(candidate) || candidate.dtype != problem.dtype) continue;
    const bool same_unit = candidate.work.unit == problem.work.unit;
    if (problem.device.kind != DeviceKind::kCpu && !same_unit) continue;
    const Ceiling* value = calibrate(candidate);
    if (value == nullptr || !value->suspect.empty()) continue;
    if (highest == nullptr || value->per_s > highest->per_s) highest = value;
  }
  return highest;
}

// The memory's stream stays prepared: the first block will want it. The others are small, and are
// made above it and given back.
Ceiling* Ceilings::calibrate(const Case& problem) {
  const auto [known, is_new] = calibrated_.try_emplace(problem.problem());
  if (!is_new) return known->second ? &*known->second : nullptr;
  try {
    if (problem.only == Cache::kCold) {
      prepare(&problem, nullptr);
      known->second = measure(stream_->member);
    } else {
      const Release release{engine_->memory};
      PreparedCeiling prepared(problem, *engine_);
      known->second = measure(prepared.member);
    }
  } catch (const Unsupported&) {  // memory too small for this one: it stays unknown
  } catch (const OutOfMemory&) {
  }
  return known->second ? &*known->second : nullptr;
}

std::optional<Ceiling> Ceilings::measure(Member& member) {
  Member* alone[] = {&member};
  const double budget_s = std::min(kMostCalibrationS, engine_->settings.budget_s);
  const auto reason = sample_rounds(alone, *engine_, budget_s);
  if (!member.alive()) return std::nullopt;
  member.summarise(reason);
  const Outcome& outcome = member.outcome();
  const Case& problem = member.problem();
  const double amount = is_stream(problem) ? problem.work.bytes() : problem.work.flops;
  return Ceiling{
      .problem = &problem,
      .reads = number(problem, "reads"),
      .writes = number(problem, "writes"),
      .level = text(problem, "level"),
      .per_s = amount / outcome.median_s,
      .detail = outcome.plan,
      .bytes = outcome.sets * outcome.set_bytes,
      .suspect = implausible(problem, amount / outcome.median_s, engine_->settings.threads)};
}

void Ceilings::forget_prepared() {
  stream_.reset();
  peak_.reset();
  engine_->memory.release_to(base_mark_);
}

void Ceilings::calibrate_for(const Case& problem) {
  if (problem.is_ceiling()) return;
  highest_peak(problem);
  // The picture shows the roofs of all levels, so all are measured where one is needed: from the
  // memory inwards, so that each can be compared with the next larger.
  Ceiling* larger = nullptr;
  for (const CacheLevel& level : engine_->machine.levels | std::views::reverse) {
    // A cache's stream is too short to be shared out among threads.
    if (engine_->settings.threads > 1 && level.name != "dram") continue;
    const Case* stream = nearest_stream(problem.work, level.name);
    Ceiling* value = stream == nullptr ? nullptr : calibrate(*stream);
    if (value != nullptr && larger != nullptr && value->suspect.empty()) {
      value->suspect = slower_than_next(value->per_s, larger->level, larger->per_s);
    }
    if (value != nullptr) larger = value;
  }
}

void Ceilings::prepare_for(const Case& problem, Cache cache, std::int64_t set_bytes) {
  const CacheLevel* level = cache == Cache::kCold ? &engine_->machine.levels.back()
                                                  : level_of(engine_->machine, set_bytes);
  level_ = level == nullptr ? "" : level->name;
  peak_value_ = highest_peak(problem);
  const Case* stream = nearest_stream(problem.work, level_);
  const Ceiling* stream_value = stream == nullptr ? nullptr : calibrate(*stream);
  why_none_ = "";
  if (level != nullptr && level->name != "dram" && engine_->settings.threads > 1) {
    why_none_ = "cache roofs are measured on one thread only";
  } else if (level == nullptr) {
    why_none_ = "the working set of " + gigabytes(set_bytes) + " lies between two cache levels";
  } else if (stream_value == nullptr) {
    why_none_ = "no stream ceiling could be measured";
  } else if (!stream_value->suspect.empty()) {
    why_none_ = "the stream ceiling is not to be believed: " + stream_value->suspect;
  }
  if (stream_value == nullptr || !why_none_.empty()) return prepare(nullptr, nullptr);
  const bool compute_bound =
      peak_value_ != nullptr && problem.work.intensity() * stream_value->per_s > peak_value_->per_s;
  prepare(stream, compute_bound ? peak_value_->problem : nullptr);
}

void Ceilings::stand_aside(const std::string& why) {
  forget_prepared();
  level_ = "";
  peak_value_ = nullptr;
  why_none_ = why;
}

void Ceilings::prepare(const Case* stream, const Case* peak) {
  const auto holds = [](const std::unique_ptr<PreparedCeiling>& prepared, const Case* wanted) {
    return prepared ? &prepared->member.problem() == wanted : wanted == nullptr;
  };
  if (holds(stream_, stream) && holds(peak_, peak)) {
    for (auto* kept : {stream_.get(), peak_.get()}) {
      if (kept != nullptr) kept->member.forget_rounds();
    }
    return;
  }
  forget_prepared();
  if (peak != nullptr) peak_ = std::make_unique<PreparedCeiling>(*peak, *engine_);
  if (stream != nullptr) stream_ = std::make_unique<PreparedCeiling>(*stream, *engine_);
}

std::vector<Ceiling> Ceilings::calibrated() const {
  std::vector<Ceiling> values;
  for (const auto& [name, value] : calibrated_) {
    if (value) values.push_back(*value);
  }
  return values;
}

}  // namespace gk::measure
