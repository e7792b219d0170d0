// SPDX-License-Identifier: Apache-2.0
#include "gk/model.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "gk/embedded.hpp"
#include "gk/text.hpp"

namespace gk {
namespace {

using Json = nlohmann::json;

constexpr std::uintmax_t kMostConfigBytes = 1 << 20;
constexpr std::int64_t kMostDimension = 1 << 24;  // far above any model, far below overflow
constexpr std::int64_t kMostHeads = 1 << 16;

// Families whose config.json has Llama's key names and whose feed-forward layer is gated.
constexpr std::array<std::string_view, 5> kLlamaLike = {"llama", "mistral", "qwen2", "qwen3",
                                                        "phi3"};

// A config.json with the name that errors call it by.
class Config {
 public:
  Config(std::string_view text, const std::string& origin) : origin_(origin) {
    std::vector<std::set<std::string>> seen;
    const auto refuse_duplicates = [&](int, Json::parse_event_t event, Json& value) {
      if (event == Json::parse_event_t::object_start) seen.emplace_back();
      if (event == Json::parse_event_t::object_end) seen.pop_back();
      if (event == Json::parse_event_t::key && !seen.back().insert(value).second) {
        fail("the key '" + value.get<std::string>() + "' stands twice");
      }
      return true;
    };
    try {
      json_ = Json::parse(text, refuse_duplicates);
    } catch (const Json::exception& error) {
      fail(std::string("not valid JSON (") + error.what() + ")");
    }
    if (!json_.is_object()) fail("the document is not a JSON object");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError("--gk_model: " + origin_ + ": " + what);
  }

  bool has(const std::string& key) const { return json_.contains(key) && !json_[key].is_null(); }

  std::string text(const std::string& key) const {
    if (!has(key)) fail("the key '" + key + "' is missing");
    if (!json_[key].is_string()) fail("'" + key + "' must be a string");
    return json_[key];
  }

  std::int64_t integer(const std::string& key, std::int64_t most = kMostDimension) const {
    if (!has(key)) fail("the key '" + key + "' is missing");
    const Json& value = json_[key];
    const std::string shown =  // of a structure only the type: it may be nested without end
        "'" + key + "' is " +
        (value.is_structured() ? value.type_name() : value.dump().substr(0, 40));
    if (!value.is_number_integer()) fail(shown + ", but must be an integer");
    const bool huge =
        value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
    if (huge) fail(shown + ", above the limit of " + std::to_string(most));
    if (value.get<std::int64_t>() < 1) fail(shown + ", but must be 1 or more");
    return value;
  }

  void check_boolean(const std::string& key) const {
    if (has(key) && !json_[key].is_boolean()) fail("'" + key + "' must be true or false");
  }

 private:
  Json json_;
  std::string origin_;
};

// The attention's sizes, with the two ways in which a config may contradict itself.
struct Attention {
  std::int64_t heads, kv_heads, head_dim;
};

Attention attention_of(const Config& config, std::int64_t hidden) {
  Attention a{};
  a.heads = config.integer("num_attention_heads", kMostHeads);
  a.kv_heads = config.has("num_key_value_heads") ? config.integer("num_key_value_heads", kMostHeads)
                                                 : a.heads;
  if (a.heads % a.kv_heads != 0) {
    config.fail("'num_key_value_heads' is " + std::to_string(a.kv_heads) +
                ", which does not divide 'num_attention_heads' " + std::to_string(a.heads));
  }
  if (config.has("head_dim")) {
    a.head_dim = config.integer("head_dim", kMostHeads);
  } else if (hidden % a.heads == 0) {
    a.head_dim = hidden / a.heads;
  } else {
    config.fail("'hidden_size' " + std::to_string(hidden) +
                " is not a multiple of 'num_attention_heads' " + std::to_string(a.heads) +
                ", and there is no 'head_dim'");
  }
  return a;
}

Model llama_like(const Config& config) {
  Model model;
  const std::int64_t hidden = model.hidden = config.integer("hidden_size");
  const std::int64_t wide = model.intermediate = config.integer("intermediate_size");
  const Attention a = attention_of(config, hidden);
  const std::string gated = config.text("hidden_act") == "silu" ? "swiglu" : "none";
  model.layers = {
      {"qkv", (a.heads + 2 * a.kv_heads) * a.head_dim, hidden, "none"},
      {"o", hidden, a.heads * a.head_dim, "residual"},
      {"gate_up", 2 * wide, hidden, gated},
      {"down", hidden, wide, "residual"},
      {"lm_head", config.integer("vocab_size"), hidden, "none"},
  };
  return model;
}

// GPT-2 has its own key names, no gate, and attention heads that always divide the width.
Model gpt2(const Config& config) {
  Model model;
  const std::int64_t hidden = model.hidden = config.integer("n_embd");
  const std::int64_t wide = model.intermediate =
      config.has("n_inner") ? config.integer("n_inner") : 4 * hidden;
  const std::int64_t heads = config.integer("n_head", kMostHeads);
  if (hidden % heads != 0) {
    config.fail("'n_embd' " + std::to_string(hidden) + " is not a multiple of 'n_head' " +
                std::to_string(heads));
  }
  model.layers = {
      {"qkv", 3 * hidden, hidden, "none"},
      {"o", hidden, hidden, "residual"},
      {"gate_up", wide, hidden, "bias_gelu"},
      {"down", hidden, wide, "residual"},
      {"lm_head", config.integer("vocab_size"), hidden, "none"},
  };
  return model;
}

std::string read_config(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what) {
    throw InputError("--gk_model: " + path.string() + ": " + what);
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) fail("cannot be read: not a regular file");
  if (std::filesystem::file_size(path, error) > kMostConfigBytes) fail("larger than 1 MiB");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot be read");
  // At most the limit even if the file grows meanwhile.
  std::string text(kMostConfigBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

Model parse_model(std::string_view config_text, std::string name, const std::string& origin) {
  const Config config(config_text, origin);
  const std::string family = config.text("model_type");
  config.check_boolean("tie_word_embeddings");  // tied or not, the head's product is computed
  Model model;
  if (std::ranges::count(kLlamaLike, family) != 0) {
    model = llama_like(config);
  } else if (family == "gpt2") {
    model = gpt2(config);
  } else {
    config.fail("the model family '" + family + "' ('model_type') is not known; known are " +
                join(kLlamaLike, ", ") + ", gpt2");
  }
  model.name = std::move(name);
  return model;
}

Model load_model(const std::string& name_or_path) {
  const auto preset = std::ranges::find(embedded_models, name_or_path, &EmbeddedFile::stem);
  if (preset != embedded_models.end()) {
    return parse_model(preset->text, name_or_path, "preset " + name_or_path);
  }
  std::filesystem::path path = name_or_path;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw InputError("--gk_model: '" + name_or_path +
                     "' is neither a file nor a preset; presets are " +
                     join(model_presets(), ", "));
  }
  if (std::filesystem::is_directory(path, error)) path /= "config.json";
  // The folder is the model's name on most disks; a lone config.json has only its own.
  const std::string folder = std::filesystem::absolute(path).parent_path().filename().string();
  const std::string stem = path.stem().string();
  return parse_model(read_config(path), stem == "config" && !folder.empty() ? folder : stem,
                     path.string());
}

std::vector<std::string> model_presets() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_models) names.emplace_back(file.stem);
  std::ranges::sort(names);
  return names;
}

}  // namespace gk
