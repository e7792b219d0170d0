// SPDX-License-Identifier: Apache-2.0
// Layer shapes of a transformer, from its Hugging Face config.json.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gk {

// Bad input of the user: one sentence naming what and where. Ends the program with exit code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A linear layer y[., n] = x[., k] W[n, k]^T, and what the model does right after it.
struct Layer {
  std::string role;  // "qkv", "o", "gate_up", "down", "lm_head"
  std::int64_t n, k;
  std::string epilogue;  // "none", "residual", "swiglu", "bias_gelu"
};

struct Model {
  std::string name;
  std::int64_t hidden = 0, intermediate = 0;
  std::vector<Layer> layers;
};

// The layers that `config_text` (a config.json) describes. `origin` names it in errors.
// Throws InputError naming the origin and the key.
Model parse_model(std::string_view config_text, std::string name, const std::string& origin);

// NAME of a preset, or PATH of a config.json. Throws InputError.
Model load_model(const std::string& name_or_path);

// Names of the embedded presets, sorted.
std::vector<std::string> model_presets();

}  // namespace gk
