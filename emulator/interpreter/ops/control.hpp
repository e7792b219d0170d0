// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "emulator/interpreter/code.hpp"

namespace gk::emulator {

// What stands behind the last statement: a kernel may run off its end.
Instruction end_of_kernel(std::size_t position);

}  // namespace gk::emulator
