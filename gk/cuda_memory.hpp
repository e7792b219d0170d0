// SPDX-License-Identifier: Apache-2.0
// Operands on the current CUDA device. No CUDA type is in this header.
#pragma once

#include <cstdint>
#include <vector>

#include "gk/memory.hpp"
#include "gk/tensor.hpp"

namespace gk {

// One cudaMalloc per allocation, so that compute-sanitizer and the emulator see an overrun of one
// operand into the next; freed in the opposite order. All calls wait for the device.
class CudaMemory final : public Memory {
 public:
  // `limit_bytes` is what allocations may add up to, if the device has as much.
  explicit CudaMemory(std::int64_t limit_bytes);
  ~CudaMemory() override;
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  void* allocate(std::int64_t bytes) override;
  // Made on the host, and copied: the same elements as in a HostMemory.
  void generate(const Tensor& tensor, std::uint64_t seed, float scale) override;
  void poison(const Tensor& tensor) override;

  std::int64_t mark() const override { return static_cast<std::int64_t>(pieces_.size()); }
  void release_to(std::int64_t mark) override;
  std::int64_t available_bytes() const override { return limit_ - used_; }
  std::int64_t gap_bytes() const override;

 private:
  struct Piece {
    void* data;
    std::int64_t bytes;
  };
  std::vector<Piece> pieces_;
  std::int64_t limit_, used_ = 0;
  HostMemory staging_;
};

// What the device says is free now.
std::int64_t free_cuda_bytes();

// The bytes of a device tensor, for a host that waits for them.
void copy_to_host(const Tensor& device, void* host);

// Every tensor of a device set into the host set of the same problem, so that verify() can look.
void copy_to_host(const Arena& device, const Arena& host);

}  // namespace gk
