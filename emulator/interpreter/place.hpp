// SPDX-License-Identifier: Apache-2.0
// Where in a program something happened, in words for people.
#pragma once

#include <string>

#include "emulator/fault.hpp"
#include "emulator/ptx/module.hpp"

namespace gk::emulator {

// "ld.global.nc.f32"
std::string text_of(const ptx::Statement& statement);
// "elementwise.cu:12", or empty where the module was built without -lineinfo.
std::string text_of(const ptx::Module& module, ptx::Source source);
// Kernel, opcode and lines; block and thread are the caller's.
Place place_of(const ptx::Module& module, const ptx::Function& function,
               const ptx::Statement& statement);

}  // namespace gk::emulator
