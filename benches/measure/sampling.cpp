// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/sampling.hpp"

#include <algorithm>

#include "benches/measure/stats.hpp"

namespace gk::measure {
namespace {

bool is_precise(const Member& member, const Settings& settings) {
  if (!member.alive()) return true;
  std::vector<double> seconds;
  for (std::size_t round = 0; round < member.rounds().size(); ++round) {
    if (member.usable(round)) seconds.push_back(member.rounds()[round].seconds);
  }
  return seconds.size() >= settings.precision_rounds &&
         relative_precision(seconds) <= settings.precision;
}

}  // namespace

std::string_view sample_rounds(std::span<Member* const> contenders, Engine& engine,
                               double budget_s) {
  const Settings& settings = engine.settings;
  const double end_s = engine.clock.now_s() + budget_s;
  for (std::size_t round = 1;; ++round) {
    // A member may leave dirty lines in the cache for its successor to write back: each round
    // begins with another, so that nobody always follows the same one.
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      Member* member = contenders[(i + round) % contenders.size()];
      member->attempt([&] { member->sample(engine); });
    }
    if (std::ranges::none_of(contenders, &Member::alive)) return "budget";
    if (round >= settings.max_rounds) return "samples";
    if (round < settings.min_rounds) continue;
    if (engine.clock.now_s() >= end_s) return "budget";
    const auto precise = [&](Member* member) { return is_precise(*member, settings); };
    if (std::ranges::all_of(contenders, precise)) return "precision";
  }
}

}  // namespace gk::measure
