// SPDX-License-Identifier: Apache-2.0
#include "benches/console.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gk/text.hpp"

namespace gk::benches {
namespace {

using measure::Outcome;
using measure::Status;

constexpr std::size_t kWidth = 100;
constexpr const char* kRed = "31";
constexpr const char* kYellow = "33";
constexpr const char* kBold = "1";
constexpr const char* kDim = "2";

std::string left(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// Four significant digits, no exponent: 0.1234, 12.34, 1234.
std::string significant(double value) {
  if (!(value > 0)) return "0";
  const int digits = 3 - static_cast<int>(std::floor(std::log10(value)));
  return fixed(value, std::clamp(digits, 0, 4));
}

// GB/s under a memory roof, GFLOP/s under a compute roof.
std::string rate_text(const Row& row) {
  return row.outcome.roof.memory_bound ? significant(row.bytes_per_s() / 1e9) + " GB/s   "
                                       : significant(row.flop_per_s() / 1e9) + " GFLOP/s";
}

std::string speedup_text(const Outcome& outcome) {
  if (!outcome.speedup) return "-";
  return fixed(*outcome.speedup, 2) + " (" + fixed(*outcome.speedup_p10, 2) + ".." +
         fixed(*outcome.speedup_p90, 2) + ")";
}

// The row's columns, right under the header's.
std::string columns(const std::string& name, const std::string& time, const std::string& rate,
                    const std::string& percent, const std::string& speedup,
                    const std::string& note) {
  std::string line = "  " + left(name, 26) + right(time, 12) + right(rate, 17) + right(percent, 9) +
                     right(speedup, 20) + "  " + note;
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string block_title(const Row& row) {
  std::string title = row.problem.problem() + "/" + std::string(name_of(row.cache));
  if (!row.problem.roles.empty()) title += "  (" + join(row.problem.roles, ", ") + ")";
  return title;
}

// "dram, 2 read : 1 written", or "bf16 matrix peak".
std::string ceiling_name(const measure::Ceiling& ceiling) {
  if (!ceiling.is_stream()) {
    return std::string(name_of(ceiling.problem->dtype)) + " " +
           std::string(name_of(ceiling.problem->work.unit)) + " peak";
  }
  return ceiling.level + ", " + std::to_string(ceiling.reads) +
         " read : " + std::to_string(ceiling.writes) + " written";
}

}  // namespace

bool wants_color(const std::string& flag, bool is_terminal) {
  if (flag != "auto") return flag == "true";
  const char* no_color = std::getenv("NO_COLOR");
  return is_terminal && (no_color == nullptr || *no_color == '\0');
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

Console::Console(std::ostream& table, std::ostream* progress, bool color)
    : out_(table), progress_(progress), color_(color) {}

std::string Console::painted(const std::string& text, const char* code) const {
  return color_ ? "\033[" + std::string(code) + "m" + text + "\033[0m" : text;
}

void Console::progress(const std::string& text) {
  if (progress_ == nullptr) return;
  *progress_ << "\r\033[K" << text.substr(0, kWidth - 1) << std::flush;
  progress_shown_ = true;
}

void Console::clear_progress() {
  if (progress_shown_) *progress_ << "\r\033[K" << std::flush;
  progress_shown_ = false;
}

void Console::ceilings(const std::vector<measure::Ceiling>& ceilings) {
  clear_progress();
  if (ceilings.empty()) return;
  out_ << painted("Measured roofs of this machine", kBold) << "\n";
  for (const measure::Ceiling& ceiling : ceilings) {
    const std::string rate =
        significant(ceiling.per_s / 1e9) + (ceiling.is_stream() ? " GB/s   " : " GFLOP/s");
    const std::string doubt = ceiling.suspect.empty() ? "" : painted("  SUSPECT", kYellow);
    out_ << "  " << left(ceiling_name(ceiling), 26) << right(rate, 29) << "  " << ceiling.detail
         << doubt << "\n";
    if (!ceiling.suspect.empty()) {
      notes_.push_back(ceiling_name(ceiling) + " roof: " + ceiling.suspect);
    }
  }
  out_ << "\n" << std::flush;
}

void Console::header() {
  out_ << painted(
              columns("implementation", "time us", "rate         ", "% of", "x best vendor", ""),
              kBold)
       << "\n"
       << painted(columns("", "", "", "ceiling", "(p10..p90)", ""), kBold) << "\n";
}

void Console::row(const Row& row) {
  clear_progress();
  const std::string title = block_title(row);
  if (block_.empty()) header();
  if (title != block_) out_ << painted(title, kBold) << "\n";
  block_ = title;
  if (!row.outcome.measured()) {
    fault(row);
    return;
  }
  const Outcome& outcome = row.outcome;
  const bool doubtful = !outcome.suspect.empty() || !outcome.throttled.empty();
  std::string note;
  if (!outcome.suspect.empty()) note = painted("SUSPECT", kYellow);
  if (!outcome.throttled.empty())
    note += painted(note.empty() ? "THROTTLED" : " THROTTLED", kYellow);
  const std::string percent = outcome.roof.percent ? fixed(*outcome.roof.percent, 1) : "-";
  out_ << columns(row.problem.implementation, significant(outcome.median_s * 1e6), rate_text(row),
                  percent, speedup_text(outcome), note)
       << "\n"
       << std::flush;
  if (doubtful) {
    const std::string why = outcome.suspect.empty() ? outcome.throttled : outcome.suspect;
    notes_.push_back(row.problem.name(row.cache) + ": " + why);
  }
}

void Console::fault(const Row& row) {
  const Outcome& outcome = row.outcome;
  const std::string name = row.problem.name(row.cache);
  const bool skipped = outcome.status == Status::kSkipped;
  std::string word(name_of(outcome.status));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
  out_ << "  " << left(row.problem.implementation, 26)
       << (skipped ? painted("skipped", kDim) : painted(word, kRed)) << "\n"
       << std::flush;
  if (skipped) {
    skips_[outcome.message].push_back(name);
  } else {
    faults_.push_back(name + ": " + std::string(name_of(outcome.status)) + ": " + outcome.message);
  }
}

void Console::summary(const measure::Phases& phases) {
  clear_progress();
  const auto list = [&](const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out_ << "\n" << painted(title, kBold) << "\n";
    for (const std::string& line : lines) out_ << "  " << line << "\n";
  };
  list("Wrong, failed or hung", faults_);
  list("Suspect or throttled", notes_);
  std::vector<std::string> skips;
  for (const auto& [reason, names] : skips_) {
    skips.push_back(reason);
    skips.push_back("    " + names.front());
    if (names.size() > 1) skips.back() += " and " + std::to_string(names.size() - 1) + " more";
  }
  list("Skipped", skips);
  std::string spent = "\nWall time " + duration_text(phases.total()) + ":";
  for (std::size_t i = 0; i < measure::kPhaseNames.size(); ++i) {
    spent += " " + std::string(measure::kPhaseNames[i]) + " " +
             fixed(phases.seconds(static_cast<measure::Phase>(i)), 1) + " s,";
  }
  out_ << spent << " own " << fixed(phases.own(), 2) << " s ("
       << fixed(100 * phases.own() / phases.total(), 1) << " %)\n"
       << std::flush;
}

}  // namespace gk::benches
