// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gk::benches {

// The same for every command of the suite (docs/results.md). When several hold: 2, 3, 1, 4.
inline constexpr int kExitOk = 0;
inline constexpr int kExitRegression = 1;  // wrong, or suspect under --gk_strict
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitNothingMeasured = 4;  // no match, all skipped; or errored, hung

}  // namespace gk::benches
