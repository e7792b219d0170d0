// SPDX-License-Identifier: Apache-2.0
// Division by a number that only the host knows, in three instructions instead of twenty.
#pragma once

#include <cstdint>

namespace gk {

// Exact for dividends below 2^31 (Granlund and Montgomery, "Division by invariant integers using
// multiplication", 1994, section 4).
class Divider {
 public:
  explicit Divider(std::uint32_t divisor) : divisor_(divisor) {
    while ((std::uint64_t{1} << shift_) < divisor) ++shift_;
    const std::uint64_t excess = (std::uint64_t{1} << shift_) - divisor;
    magic_ = static_cast<std::uint32_t>((excess << 32) / divisor + 1);
  }
  __device__ __forceinline__ std::uint32_t quotient(std::uint32_t dividend) const {
    return (__umulhi(dividend, magic_) + dividend) >> shift_;
  }
  __device__ __forceinline__ std::uint32_t remainder(std::uint32_t dividend) const {
    return dividend - quotient(dividend) * divisor_;
  }

 private:
  std::uint32_t divisor_, magic_ = 0, shift_ = 0;
};

}  // namespace gk
