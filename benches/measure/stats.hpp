// SPDX-License-Identifier: Apache-2.0
// Order statistics. Means never decide: one preempted sample would move them.
#pragma once

#include <vector>

namespace gk::measure {

// The value below which the fraction `q` lies, linear between neighbours. NaN when empty.
double quantile(std::vector<double> values, double q);
double median(const std::vector<double>& values);

struct Interval {
  double low, high;
};
// 95 % confidence interval of the median from its order statistics; needs no distribution.
Interval median_interval(std::vector<double> values);

// Half of that interval over the median; infinity below six values.
double relative_precision(const std::vector<double>& values);

}  // namespace gk::measure
