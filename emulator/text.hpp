// SPDX-License-Identifier: Apache-2.0
// Numbers and names as the emulator's sentences show them.
#pragma once

#include <cstdint>
#include <string>

namespace gk::emulator {

// "4,000": long counts of bytes are read by people.
std::string grouped(std::uint64_t value);

// "oob(float*, int)" of "_Z3oobPfi"; other names as they are.
std::string demangled(const std::string& name);

// "0x7f0012345600".
std::string hexadecimal(std::uint64_t value);

}  // namespace gk::emulator
