#include "catalog/gguf/config.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/gguf/translation.hpp"

namespace ridge::catalog {

namespace {

constexpr double kMostBlocks = 10'000;

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

void GgufTranslation::sizes() {
  const double blocks = required("block_count");
  const double modules = count("nextn_predict_layers").value_or(0);
  if (blocks > kMostBlocks || modules >= std::max(blocks, 1.0)) {
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

double GgufTranslation::required(std::string_view name) {
  const auto value = count(name);
  if (value && *value > 0) return *value;
  if (errors_.empty()) complain(name, value ? "is 0" : "is missing", "name a GGUF file of a language model");
  return 0;
}

std::string_view GgufTranslation::model_type() {
  if (architecture_.name == "llama" && expert_count_ > 0) return "mixtral";
  if (architecture_.name == "deepseek2" && gating() != 2 && !has("exp_probs_b.bias")) return "deepseek_v2";
  if (architecture_.name == "granitemoe" && count("expert_shared_feed_forward_length").value_or(0) > 0) {
    return "granitemoeshared";
  }
  if (architecture_.name == "olmo2" && count("attention.sliding_window").value_or(0) > 0) return "olmo3";
  return architecture_.model_type;
}

std::optional<double> GgufTranslation::vocabulary() {
  if (const auto said = count("vocab_size")) return said;
  if (const auto rows = side("token_embd.weight", 1)) return rows;
  const JsonValue* tokens = header_.find("tokenizer.ggml.tokens");
  if (tokens == nullptr) return std::nullopt;
  if (const JsonArray* items = tokens->array()) return static_cast<double>(items->size());
  const JsonValue* length = tokens->find("length");
  return length && length->number() ? std::optional(*length->number()) : std::nullopt;
}

void GgufTranslation::attention() {
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
  if (const JsonValue* base = find("rope.freq_base"); base && base->number()) {
    set("rope_theta", *base->number());
  }
}

void GgufTranslation::head_size() {
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
void GgufTranslation::latent_attention(double rank) {
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

void GgufTranslation::window() {
  const auto size = count("attention.sliding_window");
  if (!size || *size == 0) return;
  set("sliding_window", *size);
  const JsonValue* pattern = find("attention.sliding_window_pattern");
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

void GgufTranslation::feed_forward() {
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

void GgufTranslation::experts() {
  const GgufExpertKeys& keys = architecture_.experts;
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
  if (const JsonValue* norm = find("expert_weights_norm"); norm && norm->boolean()) {
    set("norm_topk_prob", *norm->boolean());
  }
  if (const JsonValue* scale = find("expert_weights_scale"); scale && scale->number()) {
    set("routed_scaling_factor", *scale->number());
  }
}

void GgufTranslation::extras() {
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

void GgufTranslation::biases() {
  if (!listed()) return;
  set("attention_bias", has("attn_q.bias") || has("attn_qkv.bias"));
  set("attention_out_bias", has("attn_output.bias"));
  set("mlp_bias", has("ffn_up.bias") || has("ffn_down.bias"));
  set("use_qk_norm", has("attn_q_norm.weight"));
}

Result<JsonValue> config_from_gguf(const GgufHeader& header, std::string_view place, std::set<std::string>* asked) {
  const std::string where = fmt::format("{}: general.architecture", place);
  const JsonValue* named = header.find("general.architecture");
  if (named == nullptr || named->text() == nullptr) {
    return fail({where, "is missing", "name a GGUF file of a language model; of a split model, its first part too"});
  }
  const GgufArchitecture* architecture = find_gguf_architecture(*named->text());
  if (architecture == nullptr) {
    const bool projector = *named->text() == "clip";
    return fail({where, fmt::format("\"{}\" is not known", shortened(*named->text())),
                 projector ? "this file holds a vision tower alone: name the language model's file"
                           : suggestion(*named->text(), gguf_architectures())});
  }
  if (auto error = partial(header, place)) return fail(std::move(*error));
  GgufTranslation translation(header, *architecture, place);
  auto config = translation.translate();
  if (asked != nullptr) *asked = translation.asked();
  return config;
}

}  // namespace ridge::catalog
