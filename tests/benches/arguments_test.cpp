// SPDX-License-Identifier: Apache-2.0
#include "benches/arguments.hpp"

#include <gtest/gtest.h>

#include <map>

#include "gk/machine.hpp"

namespace gk::benches {
namespace {

using Variables = std::map<std::string, std::string>;

Arguments parse(const std::vector<std::string>& words, const Variables& variables = {}) {
  return parse_arguments(words, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

std::string error_of(const std::vector<std::string>& words, const Variables& variables = {}) {
  try {
    parse(words, variables);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Arguments, DefaultToOneColdThreadOfLlama) {
  const Arguments arguments = parse({});
  EXPECT_EQ(arguments.threads, 1);
  EXPECT_EQ(arguments.caches, std::vector{Cache::kCold});
  EXPECT_EQ(arguments.sweep.model.name, "llama-3-8b");
  EXPECT_DOUBLE_EQ(arguments.budget_s, 0.5);
}

TEST(Arguments, ReadListsAndShapes) {
  const Arguments arguments =
      parse({"--gk_batch=1,8", "--gk_dtype=bf16,f32", "--gk_shape=n:64,k:32,epilogue:bias_gelu"});
  EXPECT_EQ(arguments.sweep.batches, (std::vector<std::int64_t>{1, 8}));
  EXPECT_EQ(arguments.sweep.dtypes, (std::vector{DType::kBf16, DType::kF32}));
  ASSERT_EQ(arguments.sweep.shapes.size(), 1U);
  EXPECT_EQ(integer(arguments.sweep.shapes[0], "n"), 64);
  EXPECT_EQ(word(arguments.sweep.shapes[0], "epilogue"), "bias_gelu");
}

TEST(Arguments, MinTimeIsTheBudgetWithOrWithoutItsUnit) {
  EXPECT_DOUBLE_EQ(parse({"--benchmark_min_time=0.1"}).budget_s, 0.1);
  EXPECT_DOUBLE_EQ(parse({"--benchmark_min_time=0.1s"}).budget_s, 0.1);
  EXPECT_DOUBLE_EQ(parse({"--benchmark_min_time=3", "--gk_preset=quick"}).budget_s, 3);
}

TEST(Arguments, PresetsHaveTheirBudgets) {
  EXPECT_DOUBLE_EQ(parse({"--gk_preset=quick"}).budget_s, 0.2);
  EXPECT_DOUBLE_EQ(parse({"--gk_preset=full"}).budget_s, 2);
  EXPECT_EQ(parse({"--gk_preset=full"}).cache_wish, "both");
  EXPECT_EQ(parse({"--gk_preset=full", "--gk_cache=cold"}).cache_wish, "cold");
}

TEST(Arguments, AFilterThatEndsInWarmAsksForWarm) {
  EXPECT_EQ(parse({"--benchmark_filter=gemv.*/warm"}).cache_wish, "warm");
  EXPECT_EQ(parse({"--benchmark_filter=gemv.*/warm", "--gk_cache=cold"}).cache_wish, "cold");
}

TEST(Arguments, EnvironmentVariablesAreFlagsThatTheCommandLineOverrides) {
  const Variables variables = {{"BENCHMARK_FILTER", "gemv"}, {"BENCHMARK_MIN_TIME", "0.3"}};
  EXPECT_EQ(parse({}, variables).filter, "gemv");
  EXPECT_DOUBLE_EQ(parse({}, variables).budget_s, 0.3);
  EXPECT_EQ(parse({"--benchmark_filter=soft"}, variables).filter, "soft");
}

TEST(Arguments, EnvironmentVariablesAreForgotten) {
  setenv("BENCHMARK_GK_TEST", "x", 1);
  EXPECT_EQ(take_environment("BENCHMARK_GK_TEST"), "x");
  EXPECT_EQ(std::getenv("BENCHMARK_GK_TEST"), nullptr);
}

struct BadInput {
  const char* what;
  std::vector<std::string> words;
  std::string expected;
};

class ArgumentsRefuse : public testing::TestWithParam<BadInput> {};

TEST_P(ArgumentsRefuse, InOneSentenceNamingTheFlag) {
  const std::string error = error_of(GetParam().words);
  EXPECT_NE(error.find(GetParam().expected), std::string::npos) << error;
  EXPECT_NE(error.find("--"), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

const BadInput kBadInputs[] = {
    {"UnknownFlag", {"--gk_nonsense"}, "unknown flag '--gk_nonsense'"},
    {"UnknownWord", {"--decode"}, "unknown flag"},
    {"MissingValue", {"--gk_batch"}, "a value is missing"},
    {"BatchZero", {"--gk_batch=0"}, "'0' is not an integer from 1"},
    {"BatchNegative", {"--gk_batch=-1"}, "'-1' is not an integer"},
    {"BatchEmpty", {"--gk_batch="}, "'' is not an integer"},
    {"BatchTail", {"--gk_batch=1,"}, "'' is not an integer"},
    {"BatchHuge", {"--gk_batch=99999999999999999999"}, "is not an integer"},
    {"ShapeWithoutValue", {"--gk_shape=n"}, "'n' is not AXIS:VALUE"},
    {"ShapeZero", {"--gk_shape=n:0,k:1"}, "'0' is not an integer"},
    {"ShapeBatchZero", {"--gk_shape=n:1,k:1,batch:0"}, "'0' is not an integer"},
    {"ShapeTwice", {"--gk_shape=n:1,n:2"}, "stands twice"},
    {"Dtype", {"--gk_dtype=f64"}, "'f64' is not one of"},
    {"Preset", {"--gk_preset=slow"}, "'slow' is not one of"},
    {"CacheState", {"--gk_cache=hot"}, "'hot' is not one of"},
    {"DeviceName", {"--gk_device=tpu"}, "'tpu' is not one of"},
    {"DeviceOrdinal", {"--gk_device=cuda:x"}, "'x' is not an integer"},
    {"NegativeOrdinal", {"--gk_device=cuda:-1"}, "'-1' is not an integer"},
    {"Seed", {"--gk_seed=-1"}, "'-1' is not an integer"},
    {"MinTimeZero", {"--benchmark_min_time=0"}, "is not a time"},
    {"MinTimeNaN", {"--benchmark_min_time=nan"}, "is not a time"},
    {"MinTimeIterations", {"--benchmark_min_time=5x"}, "is not a time"},
    {"Repetitions", {"--benchmark_repetitions=0"}, "'0' is not an integer"},
    {"OutFormat", {"--benchmark_out_format=csv"}, "'csv' is not one of json"},
    {"Interleaving", {"--benchmark_enable_random_interleaving=true"}, "not supported"},
    {"WarmUp", {"--benchmark_min_warmup_time=1"}, "not supported"},
    {"Boolean", {"--gk_strict=perhaps"}, "neither true nor false"},
    {"Context", {"--benchmark_context=x"}, "'x' is not KEY=VALUE"},
    {"EmptyOut", {"--benchmark_out="}, "a file name is missing"},
    {"List", {"--gk_list=xml"}, "'xml' is not one of json"},
    {"ProfileWithOut", {"--gk_profile", "--benchmark_out=x"}, "--benchmark_out"},
    {"Model", {"--gk_model=no-such-model"}, "neither a file nor a preset"},
};

INSTANTIATE_TEST_SUITE_P(Words, ArgumentsRefuse, testing::ValuesIn(kBadInputs),
                         [](const auto& info) { return std::string(info.param.what); });

TEST(Arguments, RefuseMoreThreadsThanCores) {
  const std::string more = std::to_string(machine().cores + 1);
  EXPECT_NE(error_of({"--gk_threads=" + more}).find("cores"), std::string::npos);
}

TEST(Arguments, ABadVariableIsNamed) {
  EXPECT_NE(error_of({}, {{"BENCHMARK_REPETITIONS", "x"}}).find("BENCHMARK_REPETITIONS"),
            std::string::npos);
}

TEST(Help, ShowsEveryOwnFlagWithExamples) {
  const std::string help = help_text();
  for (const char* flag :
       {"gk_model", "gk_shape", "gk_dtype", "gk_batch", "gk_tokens", "gk_threads", "gk_device",
        "gk_preset", "gk_cache", "gk_seed", "gk_strict", "gk_list", "gk_profile",
        "benchmark_filter", "Examples", "Exit codes", "llama-3-8b"}) {
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
  }
}

}  // namespace
}  // namespace gk::benches
