// SPDX-License-Identifier: Apache-2.0
#include "benches/results.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fakes/fakes.hpp"

namespace gk::benches {
namespace {

using Json = nlohmann::ordered_json;

struct CommaDecimals : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

measure::Outcome measured_outcome() {
  measure::Outcome outcome;
  outcome.median_s = 1234.5678e-6;
  outcome.cpu_s = 1e-3;
  outcome.samples_s = {1e-3, 2e-3};
  outcome.plan = "plain";
  return outcome;
}

class Writer : public testing::Test {
 protected:
  Writer() { std::filesystem::create_directories(folder_); }
  ~Writer() override { std::filesystem::remove_all(folder_); }
  Json row(const measure::Outcome& outcome) {
    return row_json({case_, Cache::kCold, outcome, 0, 1});
  }
  static std::string document(const std::vector<Json>& rows) {
    std::ostringstream out;
    DocumentWriter writer(out);
    writer.begin({{"seed", 1}});
    for (const Json& one : rows) writer.add(one);
    writer.end(true);
    return out.str();
  }
  fakes::Bench bench_;
  Case case_ = bench_.make_case("cpu_fused", {{}});
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("gk_results_" + std::to_string(getpid()));
};

TEST_F(Writer, MakesADocumentThatEndsWithComplete) {
  const Json parsed = Json::parse(document({row(measured_outcome())}));
  EXPECT_EQ(parsed.back(), true);
  EXPECT_EQ(std::prev(parsed.end()).key(), "complete");
  EXPECT_EQ(parsed["benchmarks"].size(), 1U);
  EXPECT_TRUE(Json::parse(document({}))["benchmarks"].empty());
}

TEST_F(Writer, WritesADecimalPointInEveryLocale) {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new CommaDecimals));
  const std::string text = document({row(measured_outcome())});
  std::locale::global(before);
  EXPECT_EQ(Json::parse(text)["benchmarks"][0]["real_time"], 1234.5678);
}

TEST_F(Writer, HasNullInsteadOfNaNAndInfinity) {
  measure::Outcome outcome = measured_outcome();
  outcome.relative_precision = std::numeric_limits<double>::infinity();
  outcome.max_error = std::nan("");
  const Json parsed = Json::parse(document({row(outcome)}))["benchmarks"][0];
  EXPECT_TRUE(parsed["relative_precision"].is_null());
  EXPECT_TRUE(parsed["max_error"].is_null());
}

TEST_F(Writer, GivesARowWithoutATimeZeroTimesAndNulls) {
  measure::Outcome outcome;
  outcome.status = measure::Status::kSkipped;
  outcome.message = "not here";
  const Json failed = row(outcome);
  EXPECT_EQ(failed["error_occurred"], true);
  EXPECT_EQ(failed["error_message"], "not here");
  EXPECT_EQ(failed["real_time"], 0.0);
  EXPECT_EQ(failed["iterations"], 0);
  EXPECT_TRUE(failed["percent_of_ceiling"].is_null());
  EXPECT_TRUE(failed["samples_us"].is_null());
  EXPECT_EQ(failed["flops"], 16e6);
  // The same fields stand in every row, so that a table of them has no holes.
  const Json whole = row(measured_outcome());
  for (const auto& [key, value] : whole.items()) {
    EXPECT_TRUE(failed.contains(key)) << key;
  }
}

TEST_F(Writer, KeepsInvalidUtf8Out) {
  Json odd = row(measured_outcome());
  odd["plan"] = "caf\xe9";
  EXPECT_TRUE(Json::accept(document({odd})));
}

TEST_F(Writer, LeavesOnlyAPartialFileUntilItIsFinished) {
  const std::string path = (folder_ / "new" / "deep" / "run.json").string();
  ResultFile file(path);
  file.begin({{"seed", 1}});
  file.add(row(measured_outcome()));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::exists(path + ".partial"));
  file.finish(true);
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST_F(Writer, RefusesAPlaceThatCannotBeWritten) {
  EXPECT_THROW(ResultFile("/proc/gk/run.json"), InputError);
  EXPECT_THROW(ResultFile(folder_.string()), InputError);
}

}  // namespace
}  // namespace gk::benches
