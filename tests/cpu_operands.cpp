// SPDX-License-Identifier: Apache-2.0
// On the CPU both views are one set.
#include "tests/operands.hpp"

namespace gk {
namespace {

class CpuOperands final : public TestOperands {
 public:
  CpuOperands(const Case& one, std::uint64_t seed) : set_(memory_, scratch_, seed) {
    one.operands(set_);
  }
  Arena& device() override { return set_; }
  Arena& host() override { return set_; }
  void run(const Launch& launch) override { launch(nullptr); }

 private:
  HostMemory memory_{std::int64_t{1} << 30};
  Scratch scratch_{memory_};
  Arena set_;
};

}  // namespace

DeviceKind tested_device() { return DeviceKind::kCpu; }

std::vector<std::vector<CacheLevel>> tested_levels() { return {{}}; }

std::unique_ptr<TestOperands> make_operands(const Case& one, std::uint64_t seed) {
  return std::make_unique<CpuOperands>(one, seed);
}

}  // namespace gk
