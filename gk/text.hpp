// SPDX-License-Identifier: Apache-2.0
// Quantities and lists as people read them.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gk {

// `value` with `digits` digits after the point; a dot in every locale.
inline std::string fixed(double value, int digits) {
  std::array<char, 400> text{};  // the largest double has 309 digits before the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, digits);
  return {text.data(), end.ptr};
}

// "1.44 GB"; below a tenth of a gigabyte "33.6 MB".
inline std::string gigabytes(std::int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  return value < 1e8 ? fixed(value / 1e6, 1) + " MB" : fixed(value / 1e9, 2) + " GB";
}

inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Strings>
std::string join(const Strings& parts, std::string_view separator) {
  std::string text;
  for (const auto& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

}  // namespace gk
