// SPDX-License-Identifier: Apache-2.0
// One set in device memory, and one of the same seed on the host for the reference and the verdict.
#include "gk/check.hpp"
#include "gk/cuda_memory.hpp"
#include "tests/cuda/device.hpp"
#include "tests/operands.hpp"

namespace gk {
namespace {

constexpr std::int64_t kLimitBytes = std::int64_t{1} << 30;

class CudaOperands final : public TestOperands {
 public:
  CudaOperands(const Case& one, std::uint64_t seed)
      : set_(memory_, scratch_, seed), mirror_(host_memory_, host_scratch_, seed) {
    one.operands(set_);
    one.operands(mirror_);
  }
  Arena& device() override { return set_; }
  Arena& host() override { return mirror_; }
  void run(const Launch& launch) override {
    launch(stream_.get());
    stream_.synchronize();
    copy_to_host(set_, mirror_);
  }

 private:
  cuda_test::Stream stream_;
  CudaMemory memory_{kLimitBytes};
  HostMemory host_memory_{kLimitBytes};
  Scratch scratch_{memory_}, host_scratch_{host_memory_};
  Arena set_, mirror_;
};

}  // namespace

DeviceKind tested_device() { return DeviceKind::kCuda; }

// Small, for the emulator's sake: right is right at any size. Of a block's four vectors a thread,
// each is once the one that the streams end in; two streams have 3 n rows of 256 bytes, three 2 n.
std::vector<std::vector<CacheLevel>> tested_levels() {
  std::vector<std::vector<CacheLevel>> levels;
  for (const std::int64_t n : {1026, 1034, 1038, 1042, 1050}) {
    levels.push_back({{.name = "dram",
                       .capacity_bytes = std::int64_t{4} << 30,
                       .plateau_bytes = n * 3 * 2 * 256}});
  }
  return levels;
}

std::unique_ptr<TestOperands> make_operands(const Case& one, std::uint64_t seed) {
  return std::make_unique<CudaOperands>(one, seed);
}

}  // namespace gk
