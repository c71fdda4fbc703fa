#include "catalog/gguf_config.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace ridge::catalog {

namespace {

/// What a family's config calls its experts; empty: it has no such key.
struct ExpertKeys {
  std::string_view count, used, width, shared_count, shared_width, dense_layers;
};
constexpr ExpertKeys kNoExperts = {};
constexpr ExpertKeys kMixtral = {
    "num_local_experts", "num_experts_per_tok", "intermediate_size", "", "shared_intermediate_size", ""};
constexpr ExpertKeys kQwen = {
    "num_experts",     "num_experts_per_tok", "moe_intermediate_size", "", "shared_expert_intermediate_size",
    "num_dense_layers"};
constexpr ExpertKeys kDeepseek = {
    "n_routed_experts",     "num_experts_per_tok", "moe_intermediate_size", "n_shared_experts", "",
    "first_k_dense_replace"};
constexpr ExpertKeys kNemotron = {"n_routed_experts",
                                  "num_experts_per_tok",
                                  "moe_intermediate_size",
                                  "n_shared_experts",
                                  "moe_shared_expert_intermediate_size",
                                  ""};
constexpr ExpertKeys kBailing = {
    "num_experts", "num_experts_per_tok", "moe_intermediate_size", "num_shared_experts", "", "first_k_dense_replace"};
constexpr ExpertKeys kKimi = {
    "num_experts", "num_experts_per_token", "moe_intermediate_size", "num_shared_experts", "", "first_k_dense_replace"};
constexpr ExpertKeys kErnie = {"moe_num_experts",        "moe_k", "moe_intermediate_size",
                               "moe_num_shared_experts", "",      "moe_layer_start_index"};
constexpr ExpertKeys kHunyuan = {"num_experts", "moe_topk", "moe_intermediate_size", "num_shared_expert", "", ""};

struct Architecture {
  std::string_view name, model_type;
  ExpertKeys experts = kNoExperts;
};

constexpr std::array kArchitectures = {
    Architecture{"llama", "llama", kMixtral},
    Architecture{"llama4", "llama4_text", kMixtral},
    Architecture{"mistral3", "ministral3"},
    Architecture{"qwen2", "qwen2"},
    Architecture{"qwen2moe", "qwen2_moe", kQwen},
    Architecture{"qwen3", "qwen3"},
    Architecture{"qwen3moe", "qwen3_moe", kQwen},
    Architecture{"qwen3next", "qwen3_next", kQwen},
    Architecture{"deepseek2", "deepseek_v3", kDeepseek},
    Architecture{"deepseek32", "deepseek_v32", kDeepseek},
    Architecture{"glm4", "glm4"},
    Architecture{"glm4moe", "glm4_moe", kDeepseek},
    Architecture{"glm-dsa", "glm_moe_dsa", kDeepseek},
    Architecture{"gemma", "gemma"},
    Architecture{"gemma2", "gemma2"},
    Architecture{"gemma3", "gemma3_text"},
    Architecture{"gemma3n", "gemma3n_text"},
    Architecture{"phi2", "phi"},
    Architecture{"phi3", "phi3"},
    Architecture{"gpt-oss", "gpt_oss", kMixtral},
    Architecture{"gpt2", "gpt2"},
    Architecture{"gptneox", "gpt_neox"},
    Architecture{"bloom", "bloom"},
    Architecture{"falcon", "falcon"},
    Architecture{"falcon-h1", "falcon_h1"},
    Architecture{"starcoder2", "starcoder2"},
    Architecture{"stablelm", "stablelm"},
    Architecture{"internlm2", "internlm2"},
    Architecture{"command-r", "cohere"},
    Architecture{"cohere2", "cohere2"},
    Architecture{"olmo2", "olmo2"},
    Architecture{"granite", "granite"},
    Architecture{"granitemoe", "granitemoe", kMixtral},
    Architecture{"granitehybrid", "granitemoehybrid", kMixtral},
    Architecture{"nemotron", "nemotron"},
    Architecture{"nemotron_h", "nemotron_h"},
    Architecture{"nemotron_h_moe", "nemotron_h", kNemotron},
    Architecture{"minimax-m2", "minimax_m2", kMixtral},
    Architecture{"lfm2", "lfm2"},
    Architecture{"lfm2moe", "lfm2_moe", kQwen},
    Architecture{"ernie4_5", "ernie4_5"},
    Architecture{"ernie4_5-moe", "ernie4_5_moe", kErnie},
    Architecture{"hunyuan-dense", "hunyuan_v1_dense"},
    Architecture{"hunyuan-moe", "hunyuan_v1_moe", kHunyuan},
    Architecture{"dots1", "dots1", kDeepseek},
    Architecture{"seed_oss", "seed_oss"},
    Architecture{"smollm3", "smollm3"},
    Architecture{"exaone4", "exaone4"},
    Architecture{"bailingmoe2", "bailing_moe_v2", kBailing},
    Architecture{"kimi-linear", "kimi_linear", kKimi},
};

const Architecture* find_architecture(std::string_view name) {
  const auto found = std::find_if(kArchitectures.begin(), kArchitectures.end(),
                                  [&](const Architecture& one) { return one.name == name; });
  return found == kArchitectures.end() ? nullptr : &*found;
}

/// "blk.12.attn_q.weight" as 12 and "attn_q.weight"; nothing for a tensor outside the blocks.
struct BlockTensor {
  double block;
  std::string_view rest;
};
std::optional<BlockTensor> block_tensor(std::string_view name) {
  constexpr std::string_view kPrefix = "blk.";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  unsigned block = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), block);
  const auto digits = static_cast<std::size_t>(end - name.data());
  if (error != std::errc() || digits + 1 >= name.size() || name[digits] != '.') return std::nullopt;
  return BlockTensor{static_cast<double>(block), name.substr(digits + 1)};
}

using Layers = std::vector<double>;  // one number a layer

JsonValue json(double value) { return {value}; }
JsonValue json(bool value) { return {value}; }
JsonValue json(std::string_view value) { return {std::string(value)}; }
template <class T>
JsonValue json(const std::vector<T>& values) {
  JsonArray items(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) items[i].value = values[i];
  return {std::move(items)};
}

class Translation {
 public:
  Translation(const GgufHeader& header, const Architecture& architecture, std::string_view place)
      : header_(header), architecture_(architecture), place_(place) {
    for (const TensorInfo& tensor : header.tensors.tensors) {
      const auto inside = block_tensor(tensor.name);
      tensors_.emplace(inside ? inside->rest : std::string_view(tensor.name), &tensor);
    }
  }

  Result<JsonValue> translate() {
    sizes();
    if (!errors_.empty()) return fail(std::move(errors_));  // the rest leans on these
    attention();
    feed_forward();
    if (expert_count_ > 0) experts();
    hybrid();
    extras();
    biases();
    if (!errors_.empty()) return fail(std::move(errors_));
    return JsonValue{std::move(config_)};
  }

 private:
  static constexpr double kMostLayers = 10'000;

  std::string key_of(std::string_view name) const { return fmt::format("{}.{}", architecture_.name, name); }

  void complain(std::string_view name, std::string what, std::string hint) {
    errors_.push_back({fmt::format("{}: {}", place_, key_of(name)), std::move(what), std::move(hint)});
  }

  void put(std::string_view key, JsonValue value) {
    const auto found = std::find_if(config_.begin(), config_.end(), [&](const auto& one) { return one.first == key; });
    if (found != config_.end()) {
      found->second = std::move(value);
    } else {
      config_.emplace_back(std::string(key), std::move(value));
    }
  }
  template <class T>
  void set(std::string_view key, const T& value) {
    if (!key.empty()) put(key, json(value));
  }
  void set_if(std::string_view key, const std::optional<double>& value) {
    if (value) set(key, *value);
  }

  static bool is_count(const JsonValue& value) {
    const double* number = value.number();
    return number != nullptr && *number >= 0 && *number <= 1e12 && *number == std::floor(*number);
  }

  /// A whole number from 0; of a list, an error.
  std::optional<double> count(std::string_view name) {
    const JsonValue* value = header_.find(key_of(name));
    if (value == nullptr) return std::nullopt;
    if (is_count(*value)) return *value->number();
    complain(name, fmt::format("is {}", kind_of(*value)), "it must be a whole number: the file is damaged");
    return std::nullopt;
  }

  /// One number a layer; a single number stands for all layers and is a list of one.
  Layers counts(std::string_view name) {
    const JsonValue* value = header_.find(key_of(name));
    if (value == nullptr) return {};
    if (is_count(*value)) return {*value->number()};
    const JsonArray* items = value->array();
    if (items == nullptr || !std::all_of(items->begin(), items->end(), is_count)) {
      complain(name, fmt::format("is {}", kind_of(*value)), "it must be whole numbers: the file is damaged");
      return {};
    }
    if (static_cast<double>(items->size()) < layers_) {
      complain(name, fmt::format("has {} numbers for {} layers", items->size(), layers_), "the file is damaged");
      return {};
    }
    Layers numbers;
    for (std::size_t i = 0; i < static_cast<std::size_t>(layers_); ++i) numbers.push_back(*(*items)[i].number());
    return numbers;
  }

  /// All the same: that number. Otherwise the list.
  void set_layers(std::string_view key, const Layers& values) {
    if (values.empty()) return;
    if (std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); })) {
      set(key, values.front());
    } else {
      set(key, values);
    }
  }

  const TensorInfo* tensor(std::string_view name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : found->second;
  }
  bool has(std::string_view name) const { return tensor(name) != nullptr; }
  bool listed() const { return !tensors_.empty(); }  // otherwise the absence of a tensor says nothing
  /// A side of a tensor, counted from the innermost: 0 is what a matrix takes in, 1 what it gives out.
  std::optional<double> side(std::string_view name, std::size_t from_inner) const {
    const TensorInfo* found = tensor(name);
    if (found == nullptr || found->shape.size() <= from_inner) return std::nullopt;
    return found->shape[found->shape.size() - 1 - from_inner];
  }

  bool is(std::string_view type) const { return model_type_ == type; }

  void sizes() {
    const double blocks = required("block_count");
    const double modules = count("nextn_predict_layers").value_or(0);
    if (blocks > kMostLayers || modules >= std::max(blocks, 1.0)) {
      complain("block_count", fmt::format("{} blocks, {} of them for multi-token prediction", blocks, modules),
               "the file is damaged");
    }
    layers_ = blocks - modules;
    hidden_ = required("embedding_length");
    expert_count_ = count("expert_count").value_or(0);
    model_type_ = model_type();
    set("model_type", model_type_);
    set("num_hidden_layers", layers_);
    set("num_nextn_predict_layers", modules);
    set("hidden_size", hidden_);
    set_if("max_position_embeddings", count("context_length"));
    set_if("vocab_size", vocabulary());
    if (listed()) set("tie_word_embeddings", !has("output.weight"));
  }

  double required(std::string_view name) {
    const auto value = count(name);
    if (value && *value > 0) return *value;
    if (errors_.empty()) complain(name, value ? "is 0" : "is missing", "name a GGUF file of a language model");
    return 0;
  }

  std::string_view model_type() {
    if (architecture_.name == "llama" && expert_count_ > 0) return "mixtral";
    if (architecture_.name == "deepseek2" && gating() != 2 && !has("exp_probs_b.bias")) return "deepseek_v2";
    if (architecture_.name == "granitemoe" && count("expert_shared_feed_forward_length").value_or(0) > 0) {
      return "granitemoeshared";
    }
    if (architecture_.name == "olmo2" && count("attention.sliding_window").value_or(0) > 0) return "olmo3";
    return architecture_.model_type;
  }

  double gating() { return count("expert_gating_func").value_or(0); }  // 1 softmax, 2 sigmoid

  std::optional<double> vocabulary() {
    if (const auto said = count("vocab_size")) return said;
    if (const auto rows = side("token_embd.weight", 1)) return rows;
    const JsonValue* tokens = header_.find("tokenizer.ggml.tokens");
    if (tokens == nullptr) return std::nullopt;
    if (const JsonArray* items = tokens->array()) return static_cast<double>(items->size());
    const JsonValue* length = tokens->find("length");
    return length && length->number() ? std::optional(*length->number()) : std::nullopt;
  }

  void attention() {
    heads_ = counts("attention.head_count");
    kv_heads_ = counts("attention.head_count_kv");
    if (heads_.empty()) {
      if (errors_.empty()) complain("attention.head_count", "is missing", "name a GGUF file of a language model");
      return;
    }
    if (kv_heads_.empty()) kv_heads_ = heads_;
    set_layers("num_attention_heads", heads_);
    set_layers("num_key_value_heads", kv_heads_);
    if (const auto rank = count("attention.kv_lora_rank"); rank && *rank > 0) {
      latent_attention(*rank);
    } else {
      head_size();
    }
    window();
    set_if("index_n_heads", count("attention.indexer.head_count"));
    set_if("index_head_dim", count("attention.indexer.key_length"));
    set_if("index_topk", count("attention.indexer.top_k"));
    set_if("num_kv_shared_layers", count("attention.shared_kv_layers"));
    if (const JsonValue* base = header_.find(key_of("rope.freq_base")); base && base->number()) {
      set("rope_theta", *base->number());
    }
  }

  void head_size() {
    const auto keys = count("attention.key_length");
    const auto values = count("attention.value_length");
    const double most = *std::max_element(heads_.begin(), heads_.end());
    if (keys) {
      set("head_dim", *keys);
    } else if (most > 0 && std::fmod(hidden_, most) == 0) {
      set("head_dim", hidden_ / most);
    }
    if (values && values != keys) set("v_head_dim", *values);
  }

  /// GGUF since 2025 stores latent attention as one head of rank + rope and gives the true sizes under "_mla"; before,
  /// the plain keys had them.
  void latent_attention(double rank) {
    const auto rope = count("rope.dimension_count");
    const auto keys = count("attention.key_length_mla");
    const auto key_size = keys ? keys : count("attention.key_length");
    const auto value_size = keys ? count("attention.value_length_mla") : count("attention.value_length");
    if (!rope || !key_size || !value_size || *key_size <= *rope) {
      complain("attention.kv_lora_rank", "latent attention without the sizes of its heads",
               "rope.dimension_count, attention.key_length_mla and attention.value_length_mla must be there");
      return;
    }
    set("kv_lora_rank", rank);
    if (const auto queries = count("attention.q_lora_rank"); queries && *queries > 0) {
      set("q_lora_rank", *queries);
    } else {
      put("q_lora_rank", {});
    }
    set("qk_rope_head_dim", *rope);
    set("qk_nope_head_dim", *key_size - *rope);
    set("v_head_dim", *value_size);
    set_layers("num_key_value_heads", heads_);
  }

  void window() {
    const auto size = count("attention.sliding_window");
    if (!size || *size == 0) return;
    set("sliding_window", *size);
    const JsonValue* pattern = header_.find(key_of("attention.sliding_window_pattern"));
    if (pattern == nullptr) return;
    if (is_count(*pattern)) {
      set("sliding_window_pattern", *pattern->number());
      return;
    }
    const JsonArray* items = pattern->array();
    if (items == nullptr || static_cast<double>(items->size()) < layers_) {
      complain("attention.sliding_window_pattern", fmt::format("is {}", kind_of(*pattern)),
               "it must be a number, or true or false for each layer");
      return;
    }
    std::vector<std::string> kinds;
    for (std::size_t i = 0; i < static_cast<std::size_t>(layers_); ++i) {
      const JsonValue& item = (*items)[i];
      const bool slides = item.boolean() ? *item.boolean() : item.number() && *item.number() != 0;
      kinds.emplace_back(slides ? "sliding_attention" : "full_attention");
    }
    set("layer_types", kinds);
  }

  void feed_forward() {
    widths_ = counts("feed_forward_length");
    if (widths_.empty()) {
      if (const auto width = side("ffn_down.weight", 0)) widths_ = {*width};
    }
    set_layers(is("llama4_text") ? "intermediate_size_mlp" : "intermediate_size", widths_);
    if (is("granitemoehybrid") && expert_count_ == 0) {  // its dense network is what the others call the shared one
      const auto width = side("ffn_down.weight", 0);
      set_if("shared_intermediate_size", width ? width : count("expert_shared_feed_forward_length"));
      set("num_local_experts", 0.0);
    }
  }

  void experts() {
    const ExpertKeys& keys = architecture_.experts;
    if (keys.count.empty()) {
      complain("expert_count", fmt::format("{} experts in a {} model", expert_count_, model_type_),
               "this architecture has none: the file is damaged");
      return;
    }
    set(keys.count, expert_count_);
    set_if(keys.used, count("expert_used_count"));
    auto width = count("expert_feed_forward_length");
    if (!width) width = side("ffn_down_exps.weight", 0);
    set_if(keys.width, width);
    auto shared_width = count("expert_shared_feed_forward_length");
    if (!shared_width) shared_width = side("ffn_down_shexp.weight", 0);
    auto shared = count("expert_shared_count");
    if (!shared && shared_width && width && *width > 0) shared = std::ceil(*shared_width / *width);
    set_if(keys.shared_count, shared);
    set_if(keys.shared_width, shared_width);
    set_if(keys.dense_layers, count("leading_dense_block_count"));
    set_if("moe_latent_size", count("moe_latent_size"));
    set_if("n_group", count("expert_group_count"));
    set_if("topk_group", count("expert_group_used_count"));
    set_if(is("ernie4_5_moe") ? "moe_layer_interval" : "interleave_moe_layer_step", count("interleave_moe_layer_step"));
    if (gating() == 2) set("scoring_func", std::string_view("sigmoid"));
    if (has("exp_probs_b.bias")) {
      set("topk_method", std::string_view("noaux_tc"));
      if (is("minimax_m2")) set("use_routing_bias", true);
    }
    if (const JsonValue* norm = header_.find(key_of("expert_weights_norm")); norm && norm->boolean()) {
      set("norm_topk_prob", *norm->boolean());
    }
    if (const JsonValue* scale = header_.find(key_of("expert_weights_scale")); scale && scale->number()) {
      set("routed_scaling_factor", *scale->number());
    }
  }

  /// In a hybrid, 0 heads for keys mark a layer that does not attend.
  bool attends(std::size_t layer) const { return kv_heads_[kv_heads_.size() == 1 ? 0 : layer] > 0; }
  /// The one size of those layers that have any; the list where they differ.
  void set_where_any(std::string_view key, const Layers& values) {
    Layers some;
    std::copy_if(values.begin(), values.end(), std::back_inserter(some), [](double value) { return value > 0; });
    if (some.empty()) return;
    const bool same = std::all_of(some.begin(), some.end(), [&](double value) { return value == some.front(); });
    set_layers(key, same ? Layers{some.front()} : values);
  }

  template <class Kind>
  std::vector<std::string> kinds(Kind&& kind) const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < static_cast<std::size_t>(layers_); ++i) all.emplace_back(kind(i));
    return all;
  }

  void hybrid() {
    if (heads_.empty()) return;
    const bool mixed = std::find(kv_heads_.begin(), kv_heads_.end(), 0.0) != kv_heads_.end();
    if (is("nemotron_h")) nemotron();
    if (is("granitemoehybrid") || is("falcon_h1")) mamba();
    if (is("granitemoehybrid")) {
      set("layer_types", kinds([&](std::size_t i) { return attends(i) ? "attention" : "mamba"; }));
    }
    if (is("lfm2") || is("lfm2_moe")) {
      set("layer_types", kinds([&](std::size_t i) { return attends(i) ? "full_attention" : "conv"; }));
      set_if("conv_L_cache", count("shortconv.l_cache"));
      set("block_auto_adjust_ff_dim", false);
    }
    if (is("qwen3_next")) delta();
    if (is("kimi_linear")) kimi();
    if (mixed && !is("kimi_linear")) {
      set_where_any("num_attention_heads", heads_);
      set_where_any("num_key_value_heads", kv_heads_);
    }
  }

  struct Mamba {
    std::optional<double> inner, heads, state, groups, kernel;
    std::optional<double> head_size() const {
      if (!inner || !heads || *heads == 0 || std::fmod(*inner, *heads) != 0) return std::nullopt;
      return *inner / *heads;
    }
  };
  Mamba state_space() {
    const Mamba found = {count("ssm.inner_size"), count("ssm.time_step_rank"), count("ssm.state_size"),
                         count("ssm.group_count"), count("ssm.conv_kernel")};
    if (!found.head_size() || !found.state || !found.groups || !found.kernel) {
      complain("ssm.inner_size", "a state space without its sizes",
               "ssm.inner_size, time_step_rank, state_size, group_count and conv_kernel must be there");
    }
    return found;
  }

  void mamba() {
    const Mamba found = state_space();
    set_if("mamba_n_heads", found.heads);
    set_if("mamba_d_head", found.head_size());
    set_if("mamba_d_state", found.state);
    set_if("mamba_n_groups", found.groups);
    set_if("mamba_d_conv", found.kernel);
    if (is("falcon_h1")) set_if("mamba_d_ssm", found.inner);
    if (listed()) set("mamba_conv_bias", has("ssm_conv1d.bias"));
    if (listed()) set("mamba_proj_bias", has("ssm_in.bias"));
    if (is("falcon_h1") && listed()) set("mamba_rms_norm", has("ssm_norm.weight"));
  }

  void nemotron() {
    const Mamba found = state_space();
    set_if("mamba_num_heads", found.heads);
    set_if("mamba_head_dim", found.head_size());
    set_if("ssm_state_size", found.state);
    set_if("n_groups", found.groups);
    set_if("conv_kernel", found.kernel);
    if (listed()) set("use_conv_bias", has("ssm_conv1d.bias"));
    if (listed()) set("use_bias", has("ssm_in.bias"));
    std::string pattern;
    for (std::size_t i = 0; i < static_cast<std::size_t>(layers_); ++i) {
      const bool network = !widths_.empty() && widths_[widths_.size() == 1 ? 0 : i] > 0;
      pattern += attends(i) ? '*' : !network ? 'M' : expert_count_ > 0 ? 'E' : '-';
    }
    set("hybrid_override_pattern", std::string_view(pattern));
    set("mtp_hybrid_override_pattern", std::string_view("*E"));  // llama.cpp folds both into one block
    set_where_any("intermediate_size", widths_);
  }

  /// Gated delta rule: ssm.* hold linear_key_head_dim (state), linear_num_key_heads (groups), linear_num_value_heads
  /// (time steps), and the product of the values' heads and sizes (inner).
  void delta() {
    const Mamba found = state_space();
    set_if("linear_num_value_heads", found.heads);
    set_if("linear_value_head_dim", found.head_size());
    set_if("linear_key_head_dim", found.state);
    set_if("linear_num_key_heads", found.groups);
    set_if("linear_conv_kernel_dim", found.kernel);
    set("full_attention_interval", count("full_attention_interval").value_or(4));
  }

  void kimi() {
    Layers full, linear;  // counted from 1
    for (std::size_t i = 0; i < static_cast<std::size_t>(layers_); ++i) {
      (attends(i) ? full : linear).push_back(static_cast<double>(i + 1));
    }
    JsonMembers linear_config = {{"full_attn_layers", json(full)}, {"kda_layers", json(linear)}};
    if (const auto size = count("kda.head_dim")) linear_config.emplace_back("head_dim", json(*size));
    linear_config.emplace_back("num_heads", json(*std::max_element(heads_.begin(), heads_.end())));
    if (const auto kernel = count("ssm.conv_kernel")) {
      linear_config.emplace_back("short_conv_kernel_size", json(*kernel));
    }
    put("linear_attn_config", {std::move(linear_config)});
  }

  void extras() {
    if (is("gemma3n_text")) {
      set_if("hidden_size_per_layer_input", count("embedding_length_per_layer_input"));
      set_if("vocab_size_per_layer_input", side("per_layer_token_embd.weight", 1));
      set_if("altup_num_inputs", count("altup.num_inputs"));
      set_if("laurel_rank", side("laurel_l.weight", 1));
    }
    if (is("falcon")) {
      set_layers("num_kv_heads", kv_heads_);
      set("new_decoder_architecture", has("attn_norm_2.weight"));
    }
    if (is("gpt2")) set_if("n_positions", count("context_length"));
    if (listed() && (is("starcoder2") || is("ernie4_5") || is("ernie4_5_moe")))
      set("use_bias", has("attn_q.bias") || has("ffn_up.bias"));
    if (is("stablelm") && listed()) set("use_qkv_bias", has("attn_q.bias"));
  }

  void biases() {
    if (!listed()) return;
    set("attention_bias", has("attn_q.bias") || has("attn_qkv.bias"));
    set("attention_out_bias", has("attn_output.bias"));
    set("mlp_bias", has("ffn_up.bias") || has("ffn_down.bias"));
    set("use_qk_norm", has("attn_q_norm.weight"));
  }

  const GgufHeader& header_;
  const Architecture& architecture_;
  std::string_view place_;
  std::map<std::string_view, const TensorInfo*> tensors_;  // by name, of the first block that has it
  JsonMembers config_;
  Errors errors_;
  std::string_view model_type_;
  double layers_ = 0, hidden_ = 0, expert_count_ = 0;
  Layers heads_, kv_heads_, widths_;
};

/// The error of a header that holds only a part of a split model.
std::optional<Error> partial(const GgufHeader& header, std::string_view place) {
  const JsonValue* announced = header.find("split.tensors.count");
  if (announced == nullptr || announced->number() == nullptr) return std::nullopt;
  const auto present = static_cast<double>(header.tensors.tensors.size());
  if (present >= *announced->number()) return std::nullopt;
  return Error{std::string(place),
               fmt::format("holds {} of {} tensors of a split model", present, with_commas(*announced->number())),
               "name all its parts: -00001-of-0000N.gguf and so on"};
}

}  // namespace

Result<JsonValue> config_from_gguf(const GgufHeader& header, std::string_view place) {
  const std::string where = fmt::format("{}: general.architecture", place);
  const JsonValue* named = header.find("general.architecture");
  if (named == nullptr || named->text() == nullptr) {
    return fail({where, "is missing", "name a GGUF file of a language model; of a split model, its first part too"});
  }
  const Architecture* architecture = find_architecture(*named->text());
  if (architecture == nullptr) {
    const bool projector = *named->text() == "clip";
    return fail({where, fmt::format("\"{}\" is not known", shortened(*named->text())),
                 projector ? "this file holds a vision tower alone: name the language model's file"
                           : suggestion(*named->text(), gguf_architectures())});
  }
  if (auto error = partial(header, place)) return fail(std::move(*error));
  return Translation(header, *architecture, place).translate();
}

std::vector<std::string> gguf_architectures() {
  std::vector<std::string> names;
  for (const Architecture& one : kArchitectures) names.emplace_back(one.name);
  return names;
}

namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> heads) {
  return std::any_of(heads.begin(), heads.end(), [&](std::string_view head) { return text.starts_with(head); });
}

Part part_of_block_tensor(std::string_view rest) {
  if (starts_with_any(rest, {"nextn."})) return Part::mtp;
  if (starts_with_any(rest, {"vis_"})) return Part::vision;
  if (starts_with_any(rest, {"attn_norm", "attn_output_norm", "attn_post_norm", "post_", "pre_ffw_norm", "ffn_norm",
                             "ffn_post_norm", "layer_output_norm", "laurel_post_norm"})) {
    return Part::norms;
  }
  if (starts_with_any(rest, {"attn_", "ssm_", "shortconv.", "indexer.", "time_mix_", "cross_attn_"})) {
    return Part::attention;
  }
  if (starts_with_any(rest, {"ffn_gate_inp.", "exp_probs_b", "ffn_exp_probs_b"})) return Part::router;
  if (contains(rest, "shexp") || starts_with_any(rest, {"ffn_latent_"})) return Part::shared_experts;
  if (contains(rest, "exps.")) return Part::routed_experts;
  if (starts_with_any(rest, {"ffn_gate.", "ffn_up.", "ffn_down."}) && std::count(rest.begin(), rest.end(), '.') == 2) {
    return Part::routed_experts;  // files of 2023 hold each expert apart: ffn_gate.7.weight
  }
  if (starts_with_any(rest, {"ffn_", "ffn.", "channel_mix_"})) return Part::dense_ffn;
  return Part::other;
}

}  // namespace

Part part_of_gguf_tensor(std::string_view name, double layers) {
  if (starts_with_any(name, {"a.", "mm.a."})) return Part::audio;
  if (starts_with_any(name, {"v.", "mm.", "resampler."})) return Part::vision;
  if (starts_with_any(name, {"token_embd.", "per_layer_token_embd.", "position_embd.", "token_types."})) {
    return Part::embedding;
  }
  if (starts_with_any(name, {"output.", "cls."})) return Part::head;
  if (starts_with_any(name, {"output_norm", "token_embd_norm", "per_layer_proj_norm"})) return Part::norms;
  if (starts_with_any(name, {"nextn."})) return Part::mtp;
  const auto inside = block_tensor(name);
  if (!inside) return Part::other;
  return inside->block >= layers ? Part::mtp : part_of_block_tensor(inside->rest);
}

}  // namespace ridge::catalog
