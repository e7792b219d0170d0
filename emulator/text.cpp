// SPDX-License-Identifier: Apache-2.0
#include "emulator/text.hpp"

#include <cxxabi.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>

namespace gk::emulator {

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t digits = 3; digits < text.size(); digits += 4) {
    text.insert(text.size() - digits, 1, ',');
  }
  return text;
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  // Without the prefix "f" would be the type float.
  return name.starts_with("_Z") && status == 0 ? text.get() : name;
}

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return "0x" + std::string(digits.data(), end.ptr);
}

}  // namespace gk::emulator
