// SPDX-License-Identifier: Apache-2.0
// The flags themselves: names, hints, help, and what each does to the arguments.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benches/arguments.hpp"
#include "gk/text.hpp"

namespace gk::benches {

struct Parser;
using Apply = void (*)(Parser& parser, const std::string& value);

// `hint` is what --help shows after the name; a flag without one takes true, false or nothing.
struct Flag {
  std::string name, hint, help;
  Apply apply;
};

// What the flags write to, with what is settled only when all were read.
struct Parser {
  Arguments& arguments;
  std::string flag;  // being parsed, for errors
  std::optional<std::string> cache_wish;
  std::optional<double> budget_s;

  [[noreturn]] void fail(const std::string& what) const { throw InputError(flag + ": " + what); }

  std::int64_t integer(const std::string& text, std::int64_t least, std::int64_t most) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
      fail("'" + text + "' is not an integer from " + std::to_string(least) + " to " +
           std::to_string(most));
    }
    return value;
  }

  std::vector<std::int64_t> integers(const std::string& text, std::int64_t most) const {
    std::vector<std::int64_t> values;
    for (const std::string& part : split(text, ',')) values.push_back(integer(part, 1, most));
    return values;
  }

  bool boolean(const std::string& text) const {
    if (text.empty() || text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    fail("'" + text + "' is neither true nor false");
  }

  std::string one_of(const std::string& text, const std::vector<std::string>& known) const {
    if (std::ranges::count(known, text) == 0) {
      fail("'" + text + "' is not one of " + join(known, ", "));
    }
    return text;
  }
};

const std::vector<Flag>& own_flags();
const std::vector<Flag>& library_flags();  // Google Benchmark's

// A flag of the library that cannot mean anything here: always an error, never in --help.
void refuse(Parser& parser, const std::string& value);

}  // namespace gk::benches
