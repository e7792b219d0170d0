// SPDX-License-Identifier: Apache-2.0
#include "gk/cuda_memory.hpp"

#include <algorithm>
#include <stdexcept>

#include "gk/check.hpp"

namespace gk {
namespace {

constexpr std::int64_t kPageBytes = std::int64_t{2} << 20;  // large allocations are rounded up

std::size_t size_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.bytes()); }

}  // namespace

CudaMemory::CudaMemory(std::int64_t limit_bytes)
    : limit_(std::min(limit_bytes, free_cuda_bytes())), staging_(limit_bytes) {}

CudaMemory::~CudaMemory() { release_to(0); }

void* CudaMemory::allocate(std::int64_t bytes) {
  if (bytes > available_bytes()) throw OutOfMemory(used_ + bytes, limit_);
  void* data = nullptr;
  const cudaError_t status =
      cudaMalloc(&data, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());  // it is no one else's error
    throw OutOfMemory(used_ + bytes, used_ + free_cuda_bytes());
  }
  check(status);
  pieces_.push_back({data, bytes});
  used_ += bytes;
  return data;
}

std::int64_t CudaMemory::gap_bytes() const { return kPageBytes; }

// Also from the destructor: a device that failed cannot free, and has told so already.
void CudaMemory::release_to(std::int64_t mark) {
  while (this->mark() > mark) {
    static_cast<void>(cudaFree(pieces_.back().data));
    used_ -= pieces_.back().bytes;
    pieces_.pop_back();
  }
}

// Copies and fills may end after the call does, and launches go to streams that do not wait for
// the legacy one.
void CudaMemory::generate(const Tensor& tensor, std::uint64_t seed, float scale) {
  const Release scope(staging_);
  Tensor host = tensor;
  host.data = staging_.allocate(tensor.bytes());
  staging_.generate(host, seed, scale);
  check(cudaMemcpy(tensor.data, host.data, size_of(tensor), cudaMemcpyHostToDevice));
  check(cudaDeviceSynchronize());
}

void CudaMemory::poison(const Tensor& tensor) {
  check(cudaMemset(tensor.data, 0xff, size_of(tensor)));
  check(cudaDeviceSynchronize());
}

std::int64_t free_cuda_bytes() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(free);
}

void copy_to_host(const Tensor& device, void* host) {
  check(cudaMemcpy(host, device.data, size_of(device), cudaMemcpyDeviceToHost));
}

void copy_to_host(const Arena& device, const Arena& host) {
  const std::vector<Tensor> from = device.tensors();
  const std::vector<Tensor> to = host.tensors();
  if (from.size() != to.size()) throw std::logic_error("two sets of different problems");
  for (std::size_t i = 0; i < from.size(); ++i) copy_to_host(from[i], to[i].data);
}

}  // namespace gk
