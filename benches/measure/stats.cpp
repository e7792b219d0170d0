// SPDX-License-Identifier: Apache-2.0
#include "benches/measure/stats.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace gk::measure {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

Interval median_interval(std::vector<double> values) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::size_t kFewest = 6;  // with 5 values even the extremes cover less than 95 %
  if (values.size() < kFewest) return {-kInfinity, kInfinity};
  std::ranges::sort(values);
  // Ranks n/2 -+ 1.96 sqrt(n)/2 of the binomial distribution's normal approximation.
  const auto n = static_cast<double>(values.size());
  const double reach = 0.98 * std::sqrt(n);
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - reach)));
  const auto high = static_cast<std::size_t>(std::min(n - 1, std::ceil(n / 2 + reach)));
  return {values[low], values[high]};
}

double relative_precision(const std::vector<double>& values) {
  const Interval interval = median_interval(values);
  return (interval.high - interval.low) / 2 / median(values);
}

}  // namespace gk::measure
