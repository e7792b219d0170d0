// SPDX-License-Identifier: Apache-2.0
#include "benches/selection.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "gk/text.hpp"

namespace gk::benches {
namespace {

bool in_state(const Case& one, Cache cache, const Arguments& arguments) {
  if (one.only) return *one.only == cache;
  return std::ranges::count(arguments.caches, cache) != 0;
}

std::string axes_of_ops(const Arguments& arguments) {
  Sweep plain = arguments.sweep;
  plain.shapes.clear();
  std::set<std::string> ops;
  for (const Case& one : cases(plain, arguments.device)) {
    std::vector<std::string> axes;
    for (const Axis& axis : one.axes) axes.push_back(axis.name);
    if (!one.is_ceiling()) ops.insert(one.op + " takes " + join(axes, ","));
  }
  return join(ops, "; ");
}

void check_shapes(const Arguments& arguments) {
  for (const Shape& shape : arguments.sweep.shapes) {
    Sweep alone = arguments.sweep;
    alone.shapes = {shape};
    if (!cases(alone, arguments.device).empty()) continue;
    std::vector<std::string> axes;
    for (const Axis& axis : shape) axes.push_back(axis.text());
    throw InputError("--gk_shape=" + join(axes, ",") +
                     ": no op has this shape: " + axes_of_ops(arguments));
  }
}

}  // namespace

Filter::Filter(const std::string& text) {
  negated_ = text.starts_with('-');
  std::string pattern = negated_ ? text.substr(1) : text;
  if (text.empty() || text == "all") pattern = ".";
  // A regular expression can be made to take all memory, all stack or all time.
  const bool has_back_reference = std::ranges::adjacent_find(pattern, [](char a, char b) {
                                    return a == '\\' && b >= '1' && b <= '9';
                                  }) != pattern.end();
  if (pattern.size() > 1000 || std::ranges::count(pattern, '{') > 1 || has_back_reference) {
    throw InputError(
        "--benchmark_filter: the expression is over 1000 characters, or has more than "
        "one {interval}, or a back-reference");
  }
  if (const int error = regcomp(&expression_, pattern.c_str(), REG_EXTENDED | REG_NOSUB)) {
    std::array<char, 256> why{};
    regerror(error, &expression_, why.data(), why.size());
    throw InputError("--benchmark_filter: '" + pattern + "' is not a POSIX extended regular " +
                     "expression: " + why.data());
  }
}

Filter::~Filter() { regfree(&expression_); }

bool Filter::matches(const std::string& name) const {
  return (regexec(&expression_, name.c_str(), 0, nullptr, 0) == 0) != negated_;
}

std::vector<Block> select_blocks(const Arguments& arguments) {
  const Filter filter(arguments.filter);
  check_shapes(arguments);
  std::vector<Block> blocks;
  const std::vector<Case> all = cases(arguments.sweep, arguments.device);
  for (auto first = all.begin(); first != all.end();) {
    const auto end = std::find_if(first, all.end(), [problem = first->problem()](const Case& one) {
      return one.problem() != problem;
    });
    for (const Cache cache : {Cache::kCold, Cache::kWarm}) {
      Block block{.cases = {}, .cache = cache};
      std::copy_if(first, end, std::back_inserter(block.cases), [&](const Case& one) {
        return in_state(one, cache, arguments) && filter.matches(one.name(cache));
      });
      if (!block.cases.empty()) blocks.push_back(std::move(block));
    }
    first = end;
  }
  return blocks;
}

}  // namespace gk::benches
