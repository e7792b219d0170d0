// SPDX-License-Identifier: Apache-2.0
// Text files that the build put into the program (cmake/Embed.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace gk {

struct EmbeddedFile {
  std::string_view stem, text;
};

extern const std::vector<EmbeddedFile> embedded_models;   // benches/models/*.json
extern const std::vector<EmbeddedFile> embedded_devices;  // gk/devices.json

}  // namespace gk
