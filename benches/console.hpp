// SPDX-License-Identifier: Apache-2.0
// What a person sees: a table of 100 columns, a progress line, and a summary.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "benches/measure/ceilings.hpp"
#include "benches/measure/phases.hpp"
#include "benches/row.hpp"

namespace gk::benches {

class Console {
 public:
  // `progress`: a terminal's stream for the progress line, or null for none.
  Console(std::ostream& table, std::ostream* progress, bool color);

  // One line about what the run does next, replaced by the next; nothing in a pipe.
  void progress(const std::string& text);

  void ceilings(const std::vector<measure::Ceiling>& ceilings);
  void row(const Row& row);
  // Skips with their reasons, what was wrong or suspect, and where the wall time went.
  void summary(const measure::Phases& phases);

 private:
  void header();
  void fault(const Row& row);
  std::string painted(const std::string& text, const char* code) const;
  void clear_progress();

  std::ostream& out_;
  std::ostream* progress_;
  bool color_, progress_shown_ = false;
  std::string block_;                                      // of the last row
  std::map<std::string, std::vector<std::string>> skips_;  // by reason
  std::vector<std::string> faults_, notes_;
};

// Progress and colour are for terminals; NO_COLOR, when set, turns colour off.
bool wants_color(const std::string& flag, bool is_terminal);

// "2 min 10 s"
std::string duration_text(double seconds);

}  // namespace gk::benches
