#include "catalog/hf/family.hpp"

#include <algorithm>
#include <cctype>

namespace ridge::catalog {

namespace {

// Read in the modeling code of the families (transformers, vLLM), and checked against published parameter counts; see
// docs/theory/models.md for which.
constexpr Family kFamilies[] = {
    {.type = "llama"},
    {.type = "mistral"},
    {.type = "ministral"},
    {.type = "ministral3"},
    {.type = "mixtral"},
    {.type = "qwen2", .qkv_bias = true, .bias_reaches_output = false, .window_off = true},
    {.type = "qwen2_5_vl", .qkv_bias = true, .bias_reaches_output = false, .window_off = true},
    {.type = "qwen2_5_vl_text", .qkv_bias = true, .bias_reaches_output = false, .window_off = true},
    {.type = "qwen2_vl", .qkv_bias = true, .bias_reaches_output = false, .window_off = true},
    {.type = "qwen2_vl_text", .qkv_bias = true, .bias_reaches_output = false, .window_off = true},
    {.type = "qwen2_moe",
     .qkv_bias = true,
     .bias_reaches_output = false,
     .window_off = true,
     .shared_size_is_total = true},
    {.type = "qwen3", .qk_norm = QkNorm::per_head, .window_off = true},
    {.type = "qwen3_moe", .qk_norm = QkNorm::per_head, .window_off = true},
    {.type = "qwen3_vl_text", .qk_norm = QkNorm::per_head, .window_off = true},
    {.type = "qwen3_vl_moe_text", .qk_norm = QkNorm::per_head, .window_off = true},
    {.type = "qwen3_next",
     .qk_norm = QkNorm::per_head,
     .window_off = true,
     .shared_size_is_total = true,
     .mtp_modules = 1,
     .output_gate = true},
    {.type = "qwen3_5_text",
     .qk_norm = QkNorm::per_head,
     .window_off = true,
     .shared_size_is_total = true,
     .output_gate = true},
    {.type = "qwen3_5_moe_text",
     .qk_norm = QkNorm::per_head,
     .window_off = true,
     .shared_size_is_total = true,
     .output_gate = true},
    {.type = "deepseek"},  // before V2: grouped attention
    {.type = "deepseek_v2"},
    {.type = "deepseek_v3", .routing_bias = true, .mtp_tables = true},
    {.type = "kimi_k2", .routing_bias = true},
    {.type = "deepseek_v32", .routing_bias = true, .mtp_tables = true},
    {.type = "deepseek_v4", .routing_bias = true},
    {.type = "glm_moe_dsa", .routing_bias = true},
    {.type = "glm4_moe",
     .qk_norm = QkNorm::by_key,
     .bias_reaches_output = false,
     .routing_bias = true,
     .mtp_tables = true},
    {.type = "glm4_moe_lite", .routing_bias = true},
    {.type = "glm4v_moe_text", .qk_norm = QkNorm::by_key, .bias_reaches_output = false, .routing_bias = true},
    {.type = "glm4", .qkv_bias = true, .bias_reaches_output = false, .norms = 4},
    {.type = "glm", .qkv_bias = true, .bias_reaches_output = false},
    {.type = "gemma", .tied = true},
    {.type = "gemma2", .norms = 4, .tied = true, .window_every = 2},
    {.type = "gemma3_text", .qk_norm = QkNorm::per_head, .norms = 4, .tied = true, .window_every = 6},
    {.type = "gemma3n_text", .qk_norm = QkNorm::per_head, .norms = 4, .tied = true, .window_every = 5},
    {.type = "gemma4_text", .qk_norm = QkNorm::per_head, .norms = 4, .tied = true, .window_every = 6},
    {.type = "gemma4_unified_text", .qk_norm = QkNorm::per_head, .norms = 4, .tied = true, .window_every = 6},
    {.type = "llama4_text", .always_one_shared = true},
    {.type = "mllama_text_model", .extra_rows = 8},
    {.type = "gpt_oss", .qkv_bias = true, .window_every = 2, .router_bias = true, .expert_bias = true, .sinks = true},
    {.type = "phi3"},
    {.type = "phi",
     .qkv_bias = true,
     .norms = 1,
     .norm_bias = true,
     .gated = false,
     .ffn_bias = true,
     .head_bias = true},
    {.type = "phimoe", .norm_bias = true},
    {.type = "minimax_m2", .qk_norm = QkNorm::full_width, .mtp_not_stored = true},
    {.type = "minimax_text_01"},
    {.type = "minimax_m1"},
    {.type = "minimax"},
    {.type = "mimo", .qkv_bias = true, .bias_reaches_output = false, .window_off = true},
    {.type = "mimo_v2_flash", .mtp_modules = 3},
    {.type = "nemotron_h", .norms = 1, .gated = false, .routing_bias = true, .shared_size_is_total = true},
    {.type = "nemotron-nas"},
    {.type = "nemotron", .norm_bias = true, .gated = false},
    {.type = "granite", .tied = true},
    {.type = "granitemoe", .tied = true},
    {.type = "granitemoeshared", .tied = true, .shared_size_is_total = true},
    {.type = "granitemoehybrid", .tied = true, .shared_size_is_total = true},
    {.type = "bamba"},
    {.type = "cohere", .qk_norm = QkNorm::by_key, .norms = 1, .tied = true},
    {.type = "cohere2", .norms = 1, .tied = true, .window_every = 4},
    {.type = "olmo", .norms = 0},
    {.type = "olmo2", .qk_norm = QkNorm::full_width},
    {.type = "olmo3", .qk_norm = QkNorm::full_width, .window_every = 4},
    {.type = "olmoe", .qk_norm = QkNorm::full_width},
    {.type = "smollm3", .tied = true},
    {.type = "exaone4", .qk_norm = QkNorm::per_head, .window_every = 4},
    {.type = "seed_oss", .qkv_bias = true, .bias_reaches_output = false},
    {.type = "ernie4_5", .tied = true},
    {.type = "ernie4_5_moe", .tied = true, .routing_bias = true},
    {.type = "hunyuan_v1_dense", .qk_norm = QkNorm::per_head, .tied = true},
    {.type = "hunyuan_v1_moe", .qk_norm = QkNorm::per_head, .tied = true, .always_one_shared = true},
    {.type = "dots1", .qk_norm = QkNorm::per_head, .routing_bias = true},
    {.type = "apertus", .qk_norm = QkNorm::per_head, .gated = false},
    {.type = "arcee", .gated = false},
    {.type = "stablelm", .qk_norm = QkNorm::by_key, .bias_reaches_output = false, .norm_bias = true},
    {.type = "starcoder2", .qkv_bias = true, .norm_bias = true, .tied = true, .gated = false, .ffn_bias = true},
    {.type = "internlm2"},
    {.type = "internlm"},
    {.type = "minicpm", .tied = true},
    {.type = "minicpm3", .tied = true},
    {.type = "chatglm", .bias_reaches_output = false},
    {.type = "glm4v_text", .qkv_bias = true, .bias_reaches_output = false, .norms = 4},
    {.type = "falcon", .norm_bias = true, .tied = true, .gated = false},
    {.type = "internlm3"},
    {.type = "baichuan"},
    {.type = "lfm2", .qk_norm = QkNorm::per_head, .tied = true},
    {.type = "lfm2_moe", .qk_norm = QkNorm::per_head, .tied = true},
    {.type = "kimi_linear", .routing_bias = true},
    {.type = "bailing_moe", .bias_reaches_output = false},
    {.type = "bailing_moe_v2", .qk_norm = QkNorm::by_key, .bias_reaches_output = false, .routing_bias = true},
    {.type = "gpt2", .qkv_bias = true, .norm_bias = true, .tied = true, .gated = false, .ffn_bias = true},
    {.type = "gpt_neox", .qkv_bias = true, .norm_bias = true, .gated = false, .ffn_bias = true},
    {.type = "opt", .qkv_bias = true, .norm_bias = true, .tied = true, .gated = false, .ffn_bias = true},
    {.type = "bloom", .qkv_bias = true, .norm_bias = true, .tied = true, .gated = false, .ffn_bias = true},
    {.type = "falcon_h1", .refused = "attention and Mamba side by side in every layer"},
    {.type = "hymba", .refused = "attention and Mamba side by side in every layer"},
    {.type = "zamba2", .refused = "transformer blocks shared between layers"},
    {.type = "zamba", .refused = "transformer blocks shared between layers"},
    {.type = "jamba", .refused = "Mamba-1 layers"},
    {.type = "mamba", .refused = "Mamba-1 layers"},
    {.type = "falcon_mamba", .refused = "Mamba-1 layers"},
    {.type = "rwkv", .refused = "RWKV layers"},
    {.type = "rwkv7", .refused = "RWKV layers"},
    {.type = "recurrent_gemma", .refused = "RG-LRU layers"},
    {.type = "t5", .refused = "an encoder and a decoder"},
    {.type = "whisper", .refused = "an encoder and a decoder"},
    {.type = "bert", .refused = "an encoder: it makes no tokens"},
};

struct Default {
  std::string_view type, key;
  double value;
};

// configuration_gemma3.py, configuration_gemma3n.py, configuration_gemma4.py, configuration_llama4.py,
// configuration_mllama.py: values which published files rely on.
constexpr Default kDefaults[] = {
    {"gemma", "head_dim", 256},
    {"gemma2", "head_dim", 256},
    {"gemma2", "sliding_window", 4096},
    {"gemma3_text", "vocab_size", 262208},
    {"gemma3_text", "num_attention_heads", 8},
    {"gemma3_text", "num_key_value_heads", 4},
    {"gemma3_text", "head_dim", 256},
    {"gemma3_text", "sliding_window", 4096},
    {"gemma3_text", "max_position_embeddings", 131072},
    {"gemma3n_text", "vocab_size", 262400},
    {"gemma3n_text", "vocab_size_per_layer_input", 262144},
    {"gemma3n_text", "num_attention_heads", 8},
    {"gemma3n_text", "num_key_value_heads", 2},
    {"gemma3n_text", "head_dim", 256},
    {"gemma3n_text", "hidden_size_per_layer_input", 256},
    {"gemma3n_text", "sliding_window", 512},
    {"gemma3n_text", "max_position_embeddings", 32768},
    {"gemma3n_text", "num_kv_shared_layers", 15},
    {"gemma4_text", "hidden_size_per_layer_input", 256},
    {"gemma4_text", "vocab_size_per_layer_input", 262144},
    {"gemma4_text", "global_head_dim", 512},
    {"gemma4_text", "sliding_window", 512},
    {"gemma4_unified_text", "global_head_dim", 512},
    {"gemma4_unified_text", "sliding_window", 512},
    {"llama4_text", "vocab_size", 202048},
    {"llama4_text", "attention_chunk_size", 8192},
    {"llama4_text", "intermediate_size_mlp", 16384},
    {"gpt_oss", "sliding_window", 128},
    {"cohere2", "sliding_window", 4096},
    {"olmo3", "sliding_window", 4096},
};

/// "Phi3" and "phi3", "DeepseekV4" and "deepseek_v4": letters and digits alone, in lower case.
std::string squeezed(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

const Family* named(std::string_view type, const ConfigWords& words) {
  const std::string meant = squeezed(words.meaning("model_type", type));
  for (const Family& family : kFamilies) {
    if (squeezed(family.type) == meant) return &family;
  }
  return nullptr;
}

}  // namespace

const Family* find_family(std::string_view model_type, std::string_view architecture, const ConfigWords& words) {
  if (const Family* family = model_type.empty() ? nullptr : named(model_type, words)) return family;
  for (const std::string_view suffix : {"ForCausalLM", "ForConditionalGeneration", "LMHeadModel", "Model"}) {
    if (!architecture.ends_with(suffix)) continue;
    architecture.remove_suffix(suffix.size());
    return architecture.empty() ? nullptr : named(architecture, words);
  }
  return nullptr;
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family& family : kFamilies) {
    if (family.refused.empty()) names.emplace_back(family.type);
  }
  return names;
}

std::optional<double> class_default(std::string_view model_type, std::string_view key) {
  for (const Default& one : kDefaults) {
    if (one.type == model_type && one.key == key) return one.value;
  }
  return {};
}

}  // namespace ridge::catalog
