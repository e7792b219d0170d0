// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/interpreter/warp.hpp"

namespace gk::emulator {

// Bytes of one lane of a special register ("%tid.x" 4), or 0 where it is not known.
std::uint8_t special_register_bytes(std::string_view name);

// Writes all special registers that the kernel reads. They do not change while a block runs.
void fill_special_registers(Warp& warp);

}  // namespace gk::emulator
