#include "catalog/gguf/architecture.hpp"

#include <algorithm>
#include <array>

#include "catalog/gguf/config.hpp"

namespace ridge::catalog {

namespace {

constexpr GgufExpertKeys kMixtral = {
    "num_local_experts", "num_experts_per_tok", "intermediate_size", "", "shared_intermediate_size", ""};
constexpr GgufExpertKeys kQwen = {
    "num_experts",     "num_experts_per_tok", "moe_intermediate_size", "", "shared_expert_intermediate_size",
    "num_dense_layers"};
constexpr GgufExpertKeys kDeepseek = {
    "n_routed_experts",     "num_experts_per_tok", "moe_intermediate_size", "n_shared_experts", "",
    "first_k_dense_replace"};
constexpr GgufExpertKeys kNemotron = {"n_routed_experts",
                                      "num_experts_per_tok",
                                      "moe_intermediate_size",
                                      "n_shared_experts",
                                      "moe_shared_expert_intermediate_size",
                                      ""};
constexpr GgufExpertKeys kBailing = {
    "num_experts", "num_experts_per_tok", "moe_intermediate_size", "num_shared_experts", "", "first_k_dense_replace"};
constexpr GgufExpertKeys kKimi = {
    "num_experts", "num_experts_per_token", "moe_intermediate_size", "num_shared_experts", "", "first_k_dense_replace"};
constexpr GgufExpertKeys kErnie = {"moe_num_experts",        "moe_k", "moe_intermediate_size",
                                   "moe_num_shared_experts", "",      "moe_layer_start_index"};
constexpr GgufExpertKeys kHunyuan = {"num_experts", "moe_topk", "moe_intermediate_size", "num_shared_expert", "", ""};

constexpr std::array kArchitectures = {
    GgufArchitecture{"llama", "llama", kMixtral},
    GgufArchitecture{"llama4", "llama4_text", kMixtral},
    GgufArchitecture{"mistral3", "ministral3"},
    GgufArchitecture{"qwen2", "qwen2"},
    GgufArchitecture{"qwen2moe", "qwen2_moe", kQwen},
    GgufArchitecture{"qwen3", "qwen3"},
    GgufArchitecture{"qwen3moe", "qwen3_moe", kQwen},
    GgufArchitecture{"qwen3next", "qwen3_next", kQwen},
    GgufArchitecture{"deepseek2", "deepseek_v3", kDeepseek},
    GgufArchitecture{"deepseek32", "deepseek_v32", kDeepseek},
    GgufArchitecture{"glm4", "glm4"},
    GgufArchitecture{"glm4moe", "glm4_moe", kDeepseek},
    GgufArchitecture{"glm-dsa", "glm_moe_dsa", kDeepseek},
    GgufArchitecture{"gemma", "gemma"},
    GgufArchitecture{"gemma2", "gemma2"},
    GgufArchitecture{"gemma3", "gemma3_text"},
    GgufArchitecture{"gemma3n", "gemma3n_text"},
    GgufArchitecture{"phi2", "phi"},
    GgufArchitecture{"phi3", "phi3"},
    GgufArchitecture{"gpt-oss", "gpt_oss", kMixtral},
    GgufArchitecture{"gpt2", "gpt2"},
    GgufArchitecture{"gptneox", "gpt_neox"},
    GgufArchitecture{"bloom", "bloom"},
    GgufArchitecture{"falcon", "falcon"},
    GgufArchitecture{"falcon-h1", "falcon_h1"},
    GgufArchitecture{"starcoder2", "starcoder2"},
    GgufArchitecture{"stablelm", "stablelm"},
    GgufArchitecture{"internlm2", "internlm2"},
    GgufArchitecture{"command-r", "cohere"},
    GgufArchitecture{"cohere2", "cohere2"},
    GgufArchitecture{"olmo2", "olmo2"},
    GgufArchitecture{"granite", "granite"},
    GgufArchitecture{"granitemoe", "granitemoe", kMixtral},
    GgufArchitecture{"granitehybrid", "granitemoehybrid", kMixtral},
    GgufArchitecture{"nemotron", "nemotron"},
    GgufArchitecture{"nemotron_h", "nemotron_h"},
    GgufArchitecture{"nemotron_h_moe", "nemotron_h", kNemotron},
    GgufArchitecture{"minimax-m2", "minimax_m2", kMixtral},
    GgufArchitecture{"lfm2", "lfm2"},
    GgufArchitecture{"lfm2moe", "lfm2_moe", kQwen},
    GgufArchitecture{"ernie4_5", "ernie4_5"},
    GgufArchitecture{"ernie4_5-moe", "ernie4_5_moe", kErnie},
    GgufArchitecture{"hunyuan-dense", "hunyuan_v1_dense"},
    GgufArchitecture{"hunyuan-moe", "hunyuan_v1_moe", kHunyuan},
    GgufArchitecture{"dots1", "dots1", kDeepseek},
    GgufArchitecture{"seed_oss", "seed_oss"},
    GgufArchitecture{"smollm3", "smollm3"},
    GgufArchitecture{"exaone4", "exaone4"},
    GgufArchitecture{"bailingmoe2", "bailing_moe_v2", kBailing},
    GgufArchitecture{"kimi-linear", "kimi_linear", kKimi},
};

}  // namespace

const GgufArchitecture* find_gguf_architecture(std::string_view name) {
  const auto found = std::find_if(kArchitectures.begin(), kArchitectures.end(),
                                  [&](const GgufArchitecture& one) { return one.name == name; });
  return found == kArchitectures.end() ? nullptr : &*found;
}

std::vector<std::string> gguf_architectures() {
  std::vector<std::string> names;
  for (const GgufArchitecture& one : kArchitectures) names.emplace_back(one.name);
  return names;
}

}  // namespace ridge::catalog
