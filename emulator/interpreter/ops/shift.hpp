// SPDX-License-Identifier: Apache-2.0
// Shifts, which bit fields are made of too; and the part of find_bits that has its own file.
#pragma once

#include "emulator/interpreter/ops/family.hpp"

namespace gk::emulator {

// Amounts are clamped to the width: what is shifted out is gone.
struct ShiftLeft {
  template <class T>
  T operator()(T a, std::uint32_t amount) const {
    constexpr std::uint32_t kBits = 8 * sizeof(T);
    const auto shifted = static_cast<T>(Wrapping<T>(a) << (amount & (kBits - 1)));
    return amount < kBits ? shifted : T{0};
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T a, std::uint32_t amount) const {
    constexpr std::uint32_t kBits = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> std::min(amount, kBits - 1));
    } else {
      const auto shifted = static_cast<T>(a >> (amount & (kBits - 1)));
      return amount < kBits ? shifted : T{0};
    }
  }
};

// bfe bfi brev popc clz bfind lop3 prmt fns
Match find_fields(const Opcode& opcode);

}  // namespace gk::emulator
