// SPDX-License-Identifier: Apache-2.0
#include "gk/model.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace gk {
namespace {

constexpr const char* kLlama = R"({"model_type": "llama", "hidden_size": 4096,
  "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8,
  "hidden_act": "silu", "vocab_size": 128256, "tie_word_embeddings": false})";

Model parse(const std::string& text) { return parse_model(text, "m", "file"); }

Layer layer(const Model& model, const std::string& role) {
  for (const Layer& one : model.layers) {
    if (one.role == role) return one;
  }
  ADD_FAILURE() << "no layer " << role;
  return {};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

// The sentence that bad input gets.
std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Model, LlamaHasGroupedQueriesAndAGate) {
  const Model model = parse(kLlama);
  EXPECT_EQ(layer(model, "qkv").n, 6144);
  EXPECT_EQ(layer(model, "qkv").k, 4096);
  EXPECT_EQ(layer(model, "o").n, 4096);
  EXPECT_EQ(layer(model, "gate_up").n, 28672);
  EXPECT_EQ(layer(model, "gate_up").epilogue, "swiglu");
  EXPECT_EQ(layer(model, "down").k, 14336);
  EXPECT_EQ(layer(model, "lm_head").n, 128256);
}

TEST(Model, AnExplicitHeadDimDecidesTheAttentionsWidth) {
  const Model model =
      parse(replaced(kLlama, "\"hidden_act\"", "\"head_dim\": 256, \"hidden_act\""));
  EXPECT_EQ(layer(model, "qkv").n, (32 + 2 * 8) * 256);
  EXPECT_EQ(layer(model, "o").k, 32 * 256);
}

TEST(Model, NullCountsAsAbsent) {
  const Model model = parse(
      replaced(replaced(kLlama, "\"num_key_value_heads\": 8", "\"num_key_value_heads\": null"),
               "\"hidden_act\"", "\"head_dim\": null, \"hidden_act\""));
  EXPECT_EQ(layer(model, "qkv").n, 3 * 4096);  // as many key-value heads as heads
}

TEST(Model, Gpt2HasItsOwnKeysAndNoGate) {
  const Model model = parse(R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_inner": null,
                                "activation_function": "gelu_new", "vocab_size": 50257})");
  EXPECT_EQ(layer(model, "qkv").n, 2304);
  EXPECT_EQ(layer(model, "gate_up").n, 3072);
  EXPECT_EQ(layer(model, "gate_up").epilogue, "bias_gelu");
  EXPECT_EQ(layer(model, "down").k, 3072);
}

TEST(Model, TiedEmbeddingsStillHaveAHead) {
  const Model model = parse(replaced(kLlama, "false", "true"));
  EXPECT_EQ(layer(model, "lm_head").k, 4096);
}

TEST(Model, EveryPresetParses) {
  EXPECT_GE(model_presets().size(), 6U);
  for (const std::string& name : model_presets()) {
    const Model model = load_model(name);
    EXPECT_EQ(model.name, name);
    EXPECT_EQ(model.layers.size(), 5U) << name;
  }
}

struct BadConfig {
  const char* what;
  std::string text, expected;
};

class ModelRefuses : public testing::TestWithParam<BadConfig> {};

TEST_P(ModelRefuses, NamingTheFileAndTheKey) {
  const std::string error = error_of(GetParam().text);
  EXPECT_NE(error.find(GetParam().expected), std::string::npos) << error;
  EXPECT_NE(error.find("file"), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

const BadConfig kBadConfigs[] = {
    {"Malformed", "{\"model_type\": ", "not valid JSON"},
    {"Array", "[1, 2]", "not a JSON object"},
    {"Empty", "", "not valid JSON"},
    {"MissingFamily", "{}", "'model_type' is missing"},
    {"UnknownFamily", R"({"model_type": "resnet"})", "'resnet'"},
    {"MissingKey", replaced(kLlama, "\"vocab_size\": 128256, ", ""), "'vocab_size' is missing"},
    {"WrongType", replaced(kLlama, "4096", "\"4096\""), "'hidden_size' is \"4096\""},
    {"Fraction", replaced(kLlama, "4096", "4096.5"), "'hidden_size' is 4096.5"},
    {"Boolean", replaced(kLlama, "4096", "true"), "'hidden_size' is true"},
    {"Zero", replaced(kLlama, "4096", "0"), "'hidden_size' is 0"},
    {"Negative", replaced(kLlama, "4096", "-4096"), "'hidden_size' is -4096"},
    {"Huge", replaced(kLlama, "4096", "99999999999"), "above the limit"},
    {"Infinite", replaced(kLlama, "4096", "1e999"), "not valid JSON"},
    {"NotANumber", replaced(kLlama, "4096", "NaN"), "not valid JSON"},
    {"Heads", replaced(kLlama, "\"num_attention_heads\": 32", "\"num_attention_heads\": 24"),
     "'num_attention_heads' 24"},
    {"KeyValueHeads", replaced(kLlama, "\"num_key_value_heads\": 8", "\"num_key_value_heads\": 5"),
     "'num_key_value_heads' is 5"},
    {"MoreKeyValueHeads",
     replaced(kLlama, "\"num_key_value_heads\": 8", "\"num_key_value_heads\": 64"),
     "'num_key_value_heads' is 64"},
    {"TiedWord", replaced(kLlama, "false", "\"no\""), "'tie_word_embeddings'"},
    {"TwiceTheKey", replaced(kLlama, "\"hidden_act\"", "\"hidden_size\": 8192, \"hidden_act\""),
     "'hidden_size' stands twice"},
};

INSTANTIATE_TEST_SUITE_P(Configs, ModelRefuses, testing::ValuesIn(kBadConfigs),
                         [](const auto& info) { return std::string(info.param.what); });

class ModelFile : public testing::Test {
 protected:
  ModelFile() { std::filesystem::create_directories(folder_); }
  ~ModelFile() override { std::filesystem::remove_all(folder_); }
  std::string error(const std::string& path) {
    try {
      load_model(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("gk_model_" + std::to_string(getpid()));
};

TEST_F(ModelFile, IsNamedAfterItsFolder) {
  std::ofstream(folder_ / "config.json") << kLlama;
  EXPECT_EQ(load_model((folder_ / "config.json").string()).name, folder_.filename().string());
  EXPECT_EQ(load_model(folder_.string()).name, folder_.filename().string());
}

TEST_F(ModelFile, OverOneMebibyteIsRefused) {
  std::ofstream(folder_ / "big.json") << kLlama << std::string(1 << 20, ' ');
  EXPECT_NE(error((folder_ / "big.json").string()).find("larger than 1 MiB"), std::string::npos);
}

TEST_F(ModelFile, ThatIsNoFileIsRefused) {
  EXPECT_NE(error("/dev/zero").find("not a regular file"), std::string::npos);
  EXPECT_NE(error("no-such-model").find("neither a file nor a preset"), std::string::npos);
  EXPECT_NE(error("no-such-model").find("llama-3-8b"), std::string::npos);
}

}  // namespace
}  // namespace gk
