// SPDX-License-Identifier: Apache-2.0
#include "benches/console.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "gk/text.hpp"
#include "tests/fakes/fakes.hpp"

namespace gk::benches {
namespace {

class ConsoleTest : public testing::Test {
 protected:
  std::string shown(const measure::Outcome& outcome, bool color = false) {
    std::ostringstream out;
    Console console(out, nullptr, color);
    console.row({case_, Cache::kCold, outcome, 0, 1});
    console.summary(bench_.phases);
    return out.str();
  }
  static measure::Outcome measured() {
    measure::Outcome outcome;
    outcome.median_s = 0.012345;
    outcome.roof.percent = 87.65;
    outcome.speedup = 1.234;
    outcome.speedup_p10 = 1.1;
    outcome.speedup_p90 = 1.4;
    return outcome;
  }
  fakes::Bench bench_;
  Case case_ = bench_.make_case("cpu_fused", {{}});
};

TEST_F(ConsoleTest, ShowsTimeRatePercentAndSpeedup) {
  const std::string text = shown(measured());
  for (const char* part :
       {"12345", "GB/s", "87.7", "1.23 (1.10..1.40)", "time us", "fake/f32/size:16/cold"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(ConsoleTest, StaysWithinAHundredColumns) {
  measure::Outcome outcome = measured();
  outcome.median_s = 12.345678;
  outcome.speedup = outcome.speedup_p10 = outcome.speedup_p90 = 12.34;
  case_.implementation = "cublaslt_unfused_split_k";
  outcome.suspect = "x";
  const std::string text = shown(outcome);
  for (const std::string& line : split(text.substr(0, text.find("\n\n")), '\n')) {
    EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST_F(ConsoleTest, NamesWrongSuspectAndThrottledRowsInWords) {
  measure::Outcome wrong;
  wrong.status = measure::Status::kWrong;
  wrong.message = "output 0 is nan";
  EXPECT_NE(shown(wrong).find("WRONG"), std::string::npos);
  EXPECT_NE(shown(wrong).find("output 0 is nan"), std::string::npos);
  measure::Outcome doubtful = measured();
  doubtful.suspect = "above the roof";
  doubtful.throttled = "slower";
  EXPECT_NE(shown(doubtful).find("SUSPECT THROTTLED"), std::string::npos);
}

TEST_F(ConsoleTest, GathersSkipsWithTheirReasonsAtTheEnd) {
  measure::Outcome skipped;
  skipped.status = measure::Status::kSkipped;
  skipped.message = "needs another machine";
  const std::string text = shown(skipped);
  EXPECT_GT(text.find("needs another machine"), text.find("\nSkipped\n"));
}

TEST_F(ConsoleTest, PaintsOnlyWhenAsked) {
  EXPECT_EQ(shown(measured(), false).find('\033'), std::string::npos);
  EXPECT_NE(shown(measured(), true).find('\033'), std::string::npos);
}

TEST_F(ConsoleTest, RespectsNoColor) {
  unsetenv("NO_COLOR");
  EXPECT_TRUE(wants_color("auto", true));
  EXPECT_FALSE(wants_color("auto", false));
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(wants_color("auto", true));
  EXPECT_TRUE(wants_color("true", false));
  unsetenv("NO_COLOR");
}

TEST_F(ConsoleTest, ShowsProgressOnATerminalOnlyAndRemovesIt) {
  std::ostringstream out, terminal;
  Console console(out, &terminal, false);
  console.progress("[1/2] working");
  console.row({case_, Cache::kCold, measured(), 0, 1});
  EXPECT_NE(terminal.str().find("[1/2] working"), std::string::npos);
  EXPECT_TRUE(terminal.str().ends_with("\r\033[K"));
  EXPECT_EQ(out.str().find("working"), std::string::npos);
}

TEST(Duration, IsReadByPeople) {
  EXPECT_EQ(duration_text(12.4), "12 s");
  EXPECT_EQ(duration_text(130), "2 min 10 s");
}

}  // namespace
}  // namespace gk::benches
