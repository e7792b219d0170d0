// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/judge.hpp"

#include <algorithm>
#include <cmath>

#include "benches/measure/sanity.hpp"
#include "benches/measure/stats.hpp"
#include "gk/text.hpp"

namespace gk::measure {
namespace {

constexpr double kSuspectPercent = 102;

// Time that the interleaved roof needs for `amount` bytes or FLOP, per round; NaN where unusable.
std::vector<double> attainable_s(const Member& roof, double roof_amount, double amount) {
  std::vector<double> seconds;
  for (std::size_t round = 0; round < roof.rounds().size(); ++round) {
    const double spent = roof.rounds()[round].seconds;
    seconds.push_back(roof.usable(round) ? spent / roof_amount * amount : std::nan(""));
  }
  return seconds;
}

std::vector<double> percents(const Member& member, const std::vector<double>& attainable) {
  std::vector<double> percents;
  const auto count = std::min(attainable.size(), member.rounds().size());
  for (std::size_t round = 0; round < count; ++round) {
    if (!member.usable(round) || std::isnan(attainable[round])) continue;
    percents.push_back(100 * attainable[round] / member.rounds()[round].seconds);
  }
  return percents;
}

double median_s(const Member& member) {
  std::vector<double> seconds;
  for (std::size_t round = 0; round < member.rounds().size(); ++round) {
    if (member.usable(round)) seconds.push_back(member.rounds()[round].seconds);
  }
  return median(seconds);
}

// Causes in the order of what the evidence makes likely.
std::string causes(const Outcome& outcome, double percent) {
  std::vector<std::string> ranked;
  if (outcome.cold_factor && *outcome.cold_factor < 2 * kColdFactor) {
    ranked.emplace_back("operands may have survived in a cache (cold factor " +
                        fixed(*outcome.cold_factor, 1) + ")");
  }
  if (outcome.relative_precision > 0.02) {
    ranked.emplace_back("the samples are noisy (median known to " +
                        fixed(100 * outcome.relative_precision, 1) + " %)");
  }
  ranked.emplace_back("the ceiling kernel reads too low on this machine");
  ranked.emplace_back("work() counts more than is compulsory");
  return fixed(percent, 1) +
         " % of its measured roof; causes, likeliest first: " + join(ranked, "; ");
}

}  // namespace

std::vector<double> paired_ratios(const Member& other, const Member& member) {
  std::vector<double> ratios;
  const auto count = std::min(other.rounds().size(), member.rounds().size());
  for (std::size_t round = 0; round < count; ++round) {
    if (!other.usable(round) || !member.usable(round)) continue;
    ratios.push_back(other.rounds()[round].seconds / member.rounds()[round].seconds);
  }
  return ratios;
}

void compare_with_vendors(std::span<Member> members) {
  Member* best = nullptr;
  for (Member& member : members) {
    if (!member.alive() || !member.problem().is_vendor()) continue;
    const bool faster = best == nullptr || member.outcome().median_s < best->outcome().median_s;
    if (faster) best = &member;
  }
  if (best == nullptr) return;
  for (Member& member : members) {
    if (!member.alive()) continue;
    const std::vector<double> ratios = paired_ratios(*best, member);
    if (ratios.empty()) continue;
    member.outcome().best_vendor = best->problem().implementation;
    member.outcome().speedup = median(ratios);
    member.outcome().speedup_p10 = quantile(ratios, 0.1);
    member.outcome().speedup_p90 = quantile(ratios, 0.9);
  }
}

void judge_by_roofs(Member& member, Ceilings& ceilings) {
  Roof& roof = member.outcome().roof;
  const Work& work = member.problem().work;
  Member* stream = ceilings.stream();
  if (const Ceiling* peak = ceilings.peak_value()) roof.flop_per_s = peak->per_s;
  if (stream == nullptr || !stream->alive() || stream->rounds().empty()) {
    const std::string& why = ceilings.why_none();
    roof.percent_reason = why.empty() ? "the stream ceiling failed in this block" : why;
    return;
  }
  roof.level = ceilings.level();
  roof.bytes_per_s = stream->problem().work.bytes() / median_s(*stream);
  std::vector<double> attainable =
      attainable_s(*stream, stream->problem().work.bytes(), work.bytes());
  if (Member* peak = ceilings.peak(); peak != nullptr && peak->alive()) {
    const double peak_work = peak->problem().work.flops;
    roof.flop_per_s = peak_work / median_s(*peak);
    const auto compute = attainable_s(*peak, peak_work, work.flops);
    for (std::size_t i = 0; i < std::min(attainable.size(), compute.size()); ++i) {
      attainable[i] = std::max(attainable[i], compute[i]);
    }
  }
  roof.memory_bound = !roof.flop_per_s || work.intensity() * *roof.bytes_per_s <= *roof.flop_per_s;
  const std::vector<double> ratios = percents(member, attainable);
  if (ratios.empty()) {
    roof.percent_reason = "every round was disturbed";
    return;
  }
  roof.percent = median(ratios);
  // Surely above: the median's interval too, so that noise alone accuses nobody.
  if (*roof.percent > kSuspectPercent && median_interval(ratios).low > 100) {
    member.outcome().suspect = causes(member.outcome(), *roof.percent);
  }
}

void judge_ceiling(Member& member, int threads) {
  Outcome& outcome = member.outcome();
  const Work& work = member.problem().work;
  const bool is_stream = member.problem().op == "ceiling_stream";
  const double amount = is_stream ? work.bytes() : work.flops;
  outcome.roof.memory_bound = is_stream;
  outcome.roof.percent_reason = "is itself a ceiling";
  outcome.suspect = implausible(member.problem(), amount / outcome.median_s, threads);
}

}  // namespace gk::measure
