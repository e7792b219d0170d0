// SPDX-License-Identifier: Apache-2.0
#include "gk/registry.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gk {
namespace {

std::vector<Case> default_cases() {
  Sweep sweep;
  sweep.model = load_model("llama-3-8b");
  return cases(sweep, {});
}

TEST(Registry, NamesAreUnique) {
  std::set<std::string> names;
  for (const Case& one : default_cases()) {
    EXPECT_TRUE(names.insert(one.name(Cache::kCold)).second) << one.name(Cache::kCold);
  }
  EXPECT_FALSE(names.empty());
}

TEST(Registry, NamesHaveTheirDocumentedForm) {
  Sweep sweep;
  sweep.shapes = {{{"n", std::int64_t{64}}, {"k", std::int64_t{32}}, {"batch", std::int64_t{2}}}};
  sweep.dtypes = {DType::kBf16};
  const auto made = cases(sweep, {});
  ASSERT_FALSE(made.empty());
  EXPECT_EQ(made.front().problem(), "gemv_decode/bf16/n:64/k:32/batch:2/epilogue:none");
  EXPECT_EQ(made.front().name(Cache::kWarm), "gemv_decode/" + made.front().implementation +
                                                 "/bf16/n:64/k:32/batch:2/epilogue:none/warm");
}

TEST(Registry, MembersOfAProblemStandTogether) {
  std::set<std::string> closed;
  std::string open;
  for (const Case& one : default_cases()) {
    if (one.problem() == open) continue;
    EXPECT_TRUE(closed.insert(one.problem()).second) << one.problem();
    open = one.problem();
  }
}

TEST(Registry, EqualShapesOfSeveralRolesAreOneCase) {
  Sweep sweep;
  sweep.preset = Preset::kQuick;
  sweep.model.layers = {{"o", 4096, 4096, "residual"}, {"q", 4096, 4096, "none"}};
  int seen = 0;
  for (const Case& one : cases(sweep, {})) {
    if (one.op == "gemv_decode") {
      ++seen;
      EXPECT_EQ(one.roles, (std::vector<std::string>{"o", "q"}));
    }
  }
  EXPECT_GT(seen, 0);
}

TEST(Registry, WorkIsTheProblemsAndSoTheSameForAllMembers) {
  std::map<std::string, double> flops;
  for (const Case& one : default_cases()) {
    const auto [known, is_new] = flops.emplace(one.problem(), one.work.flops);
    EXPECT_EQ(known->second, one.work.flops) << one.problem();
  }
}

TEST(Registry, VendorsAreTheLibraries) {
  Case one;
  for (const char* vendor : {"onednn", "onednn_unfused", "cublaslt_strict", "cudnn", "openblas"}) {
    one.implementation = vendor;
    EXPECT_TRUE(one.is_vendor()) << vendor;
  }
  one.implementation = "cpu_fused";
  EXPECT_FALSE(one.is_vendor());
}

}  // namespace
}  // namespace gk
