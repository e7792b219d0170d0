// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

namespace gk::emulator {

// An environment variable for as long as the object lives.
struct EnvironmentVariable {
  EnvironmentVariable(const char* name_, const std::string& value) : name(name_) {
    setenv(name, value.c_str(), 1);
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
  ~EnvironmentVariable() { unsetenv(name); }
  const char* name;
};

}  // namespace gk::emulator
