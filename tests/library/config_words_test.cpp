// Are the words of models' files cut, found and translated as the catalog says, and does no list of harmless keys swallow
// one that matters?

#include "library/config_words.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "catalog/hf/unread.hpp"
#include "catalog_library.hpp"

namespace config_words_test {

using namespace ridge;

TEST_CASE("a key is cut into words at everything but letters and digits, and at capitals") {
  CHECK(words_in_key("num_hidden_layers") == std::vector<std::string>{"num", "hidden", "layers"});
  CHECK(words_in_key("numHeads") == std::vector<std::string>{"num", "heads"});
  CHECK(words_in_key("attention.head_count") == std::vector<std::string>{"attention", "head", "count"});
  CHECK(words_in_key("__A__") == std::vector<std::string>{"a"});
  CHECK(words_in_key("").empty());
}

TEST_CASE("words mean what the catalog says, whatever their case and separators") {
  const ConfigWords& words = testing::config_words();
  CHECK(words.meaning("layer_type", "sliding") == "sliding_attention");
  CHECK(words.meaning("layer_type", "Sliding-Window") == "sliding_attention");
  CHECK(words.meaning("layer_type", "never_heard_of") == "never_heard_of");
  CHECK(words.meaning("layer_letter", "*") == "full_attention");
  CHECK(words.meaning("layer_letter", "M") == "mamba2");
  CHECK(words.meaning("layer_letter", "Q") == "Q");
  CHECK(words.meaning("number", "float8_e4m3fn") == "fp8");
  CHECK(words.meaning("quant_method", "sliding") == "sliding");
  CHECK(words.meaning("model_type", "Gemma3") == "gemma3_text");
}

TEST_CASE("keys that every reader of sizes needs sound like structure and are harmless nowhere") {
  const ConfigWords& words = testing::config_words();
  const catalog::JsonValue empty{catalog::JsonMembers{}};
  for (const std::string_view key : {"hidden_size",
                                     "num_hidden_layers",
                                     "num_attention_heads",
                                     "num_key_value_heads",
                                     "head_dim",
                                     "intermediate_size",
                                     "num_experts",
                                     "num_experts_per_tok",
                                     "moe_intermediate_size",
                                     "n_shared_experts",
                                     "kv_lora_rank",
                                     "qk_rope_head_dim",
                                     "sliding_window",
                                     "layer_types",
                                     "num_nextn_predict_layers",
                                     "index_topk",
                                     "full_attention_interval",
                                     "ffn_dim",
                                     "ssm_state_size",
                                     "conv_kernel",
                                     "moe_layer_freq",
                                     "rope_head_dim",
                                     "output_dim",
                                     "init_layers",
                                     "attention_sinks",
                                     "attention.head_count",
                                     "feed_forward_length",
                                     "attention.key_length",
                                     "expert_count"}) {
    CAPTURE(key);
    CHECK(words.sounds_like("structure", key));
    CHECK_FALSE(catalog::is_harmless(words, key, empty));
  }
}

TEST_CASE("every group of harmless keys has a reason") {
  for (const ConfigKeys& group : testing::config_words().keys) {
    CAPTURE(group.name);
    CHECK(group.reason.size() > 10);
  }
}

}  // namespace config_words_test
