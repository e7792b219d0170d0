// SPDX-License-Identifier: Apache-2.0
// Outputs against the double-precision reference. Correctness comes before timing, always.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gk/registry.hpp"

namespace gk {

// The truth of one operand set, for the rows that are looked at. Computed once, used for every
// member of a block: [row][output][column].
struct Truth {
  std::vector<std::int64_t> rows;
  std::vector<std::vector<std::vector<Expected>>> expected;
};

struct Verdict {
  double max_error = 0;       // largest |y - reference|
  double tolerance_used = 0;  // largest |y - reference| / tolerance; at most 1 when right
  std::string fault;          // empty when right; else the first wrong element and the count
};

// First, last, both sides of each multiple of 64 (up to 64 rows), and 8 seeded ones; sorted.
std::vector<std::int64_t> verified_rows(std::int64_t rows, std::uint64_t seed);

Truth make_truth(const Case& problem, Arena& set, std::uint64_t seed);

// |y - ref| <= u |ref| + 2^-24 max(16, 4 sqrt(terms)) scale, with u the output's round-off; a chain
// that stores intermediates gets 2.2 u |intermediate| more: two roundings, the first of them
// followed by a slope of up to 1.13 (GELU's).
double tolerance(DType output, std::int64_t terms, const Expected& expected,
                 bool stores_intermediates = false);

// Host outputs of `set` against its truth. NaN is wrong. Also wrong: inputs written over.
Verdict verify(const Case& problem, const Arena& set, const Truth& truth,
               bool stores_intermediates = false);

}  // namespace gk
