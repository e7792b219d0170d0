// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benches/session.hpp"

namespace gk::benches {

// Hands every entry of the session to Google Benchmark, which schedules, repeats and reports them;
// the measuring is the session's.
void run_with_google_benchmark(Session& session, const Arguments& arguments, Console* console);

}  // namespace gk::benches
