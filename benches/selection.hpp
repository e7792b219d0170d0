// SPDX-License-Identifier: Apache-2.0
// Which cases run: the filter, and the grouping into blocks.
#pragma once

#include <regex.h>

#include <string>
#include <vector>

#include "benches/arguments.hpp"

namespace gk::benches {

// Google Benchmark's filter: POSIX extended, a leading '-' negates, empty or "all" is everything.
class Filter {
 public:
  // Throws InputError where the expression is not valid.
  explicit Filter(const std::string& text);
  ~Filter();
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  bool matches(const std::string& name) const;

 private:
  bool negated_ = false;
  regex_t expression_{};
};

// All selected cases of one problem in one cache state, measured against each other.
struct Block {
  std::vector<Case> cases;
  Cache cache;
};

// Throws InputError for a bad filter, or a --gk_shape that no op takes.
std::vector<Block> select_blocks(const Arguments& arguments);

}  // namespace gk::benches
