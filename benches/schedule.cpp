// SPDX-License-Identifier: Apache-2.0
#include "benches/schedule.hpp"

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace gk::benches {
namespace {

void replay(benchmark::State& state, Session& session, std::size_t entry) {
  const measure::Outcome& outcome = session.next(entry);
  if (!outcome.measured()) {
    state.SkipWithError(outcome.message.c_str());
    return;
  }
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(outcome.median_s);
}

// Takes from the library which benchmark ran and how often; everything shown is our own row.
class Reporter final : public benchmark::BenchmarkReporter {
 public:
  Reporter(Session& session, Console* console) : session_(session), console_(console) {
    const auto& entries = session.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) index_of_[session.name(entries[i])] = i;
  }

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    if (console_ == nullptr) return;
    int repetition = 0;
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Aggregate) continue;
      console_->row(session_.row(index_of_.at(run.run_name.function_name), repetition++));
    }
  }

 private:
  Session& session_;
  Console* console_;
  std::map<std::string, std::size_t> index_of_;
};

}  // namespace

void run_with_google_benchmark(Session& session, const Arguments& arguments, Console* console) {
  // The library sees the filter that matches all: what runs was selected before.
  // It read its BENCHMARK_* variables before main() could take them away, so each flag that would
  // make it write, list or repeat is set back.
  std::vector<std::string> words = {"gk_bench",
                                    "--benchmark_filter=.",
                                    "--benchmark_out=",
                                    "--benchmark_list_tests=false",
                                    "--benchmark_format=console",
                                    "--benchmark_enable_random_interleaving=false",
                                    "--benchmark_report_aggregates_only=false",
                                    "--benchmark_perf_counters="};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  const auto& entries = session.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string name = session.name(entries[i]);
    benchmark::RegisterBenchmark(
        name.c_str(), [&session, i](benchmark::State& state) { replay(state, session, i); })
        ->Iterations(1)
        ->UseManualTime()
        ->Repetitions(arguments.repetitions);
  }
  Reporter reporter(session, console);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
}

}  // namespace gk::benches
