#include "catalog/hf/mixers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "catalog/hf/expert_layers.hpp"

namespace ridge::catalog {

double dimension(const ConfigNode& text, const Family& family, Names names) {
  if (!text.has_any(names)) {
    if (const auto value = class_default(family.type, *names.begin())) return text.count_or(names, *value);
  }
  return text.count(names);
}

double optional_dimension(const ConfigNode& text, const Family& family, Names names) {
  const auto value = class_default(family.type, *names.begin());
  return text.count_or(names, value.value_or(0), value.has_value());
}

namespace {

double heads_of(const ConfigNode& text, const Family& family) {
  return dimension(text, family, {"num_attention_heads", "n_head", "num_heads", "n_heads"});
}

/// Heads share what belongs to a group of them, so that one number divides the other.
void must_divide(const ConfigNode& text, std::string_view key, double part, double whole, std::string_view of) {
  if (part < 1 || std::fmod(whole, part) == 0) return;  // too small is said elsewhere
  text.complain(key, fmt::format("{:g} does not divide {:g} {}", part, whole, of),
                "groups are of equal size: check both numbers");
}

double window_of(const ConfigNode& text, const Family& family) {
  const double window =
      dimension(text, family, {"sliding_window", "sliding_window_size", "sliding_window_attention_size"});
  const auto limit = text.optional_count({"max_position_embeddings", "n_positions"});
  return limit && window >= *limit ? kUnlimited : window;  // a window no sequence can outgrow
}

}  // namespace

LayerBuilder::LayerBuilder(const ConfigNode& text, const Family& family, double layers)
    : text_(text),
      family_(family),
      layers_(layers),
      hidden_(text.count({"hidden_size", "n_embd", "d_model", "n_embed"})) {}

/// Gemma 3n and 4: the last layers read the cache of an earlier one.
bool LayerBuilder::borrows_kv(double index) const {
  if (text_.flag_or({"use_cla"}, false)) {  // Hunyuan-Large: groups of neighbors share one cache
    const double factor = text_.count_or({"cla_share_factor"}, 1, false);
    return factor > 1 && index < layers_ && std::fmod(index, factor) != 0;
  }
  const double shared = optional_dimension(text_, family_, {"num_kv_shared_layers"});
  if (shared >= layers_ && shared > 0 && text_.has("num_kv_shared_layers")) {
    text_.complain("num_kv_shared_layers", fmt::format("{:g} of {:g} layers", shared, layers_),
                   "they read the cache of earlier layers: fewer than all");
  }
  return shared > 0 && index < layers_ && index >= layers_ - shared;
}

/// GLM-5.2: some layers take over the tokens that an earlier layer's indexer chose.
bool LayerBuilder::borrows_index(double index) const {
  if (index >= layers_) return false;
  if (const auto kinds = text_.optional_texts({"indexer_types"})) {
    const auto at = static_cast<std::size_t>(index);
    if (static_cast<double>(kinds->size()) != layers_)
      text_.complain("indexer_types", fmt::format("{} entries for {:g} layers", kinds->size(), layers_),
                     "one for each layer is expected");
    return at < kinds->size() && (*kinds)[at] == "shared";
  }
  const double every = text_.count_or({"index_topk_freq"}, 1, false);
  const double offset = text_.count_or({"index_skip_topk_offset"}, 0, false);
  return every > 1 && std::fmod(std::max(index - offset + 1, 0.0), every) != 0;
}

GroupedAttention LayerBuilder::grouped(const LayerForm& form, double index) const {
  const bool sliding = form.mixer == LayerKind::sliding;
  const bool own_sizes = sliding && text_.has("swa_num_attention_heads");  // MiMo-V2
  GroupedAttention attention;
  attention.query_heads = own_sizes ? text_.count({"swa_num_attention_heads"}) : heads_of(text_, family_);
  const Names kv_names = {"num_key_value_heads", "num_kv_heads", "n_kv_heads", "multi_query_group_num", "n_head_kv"};
  auto kv_default = class_default(family_.type, "num_key_value_heads");
  const bool single_head = family_.type == "falcon" && !text_.flag_or({"new_decoder_architecture"}, false) &&
                           text_.flag_or({"multi_query"}, true);
  const bool all_heads =
      (family_.type == "falcon" && !single_head && !text_.flag_or({"new_decoder_architecture"}, false)) ||
      (family_.type == "chatglm" && !text_.flag_or({"multi_query_attention"}, false));
  std::optional<double> said = form.kv_heads;
  if (single_head) said = 1;
  if (all_heads) said = attention.query_heads;
  if (said) text_.settle(kv_names);
  attention.kv_heads = own_sizes                 ? text_.count({"swa_num_key_value_heads"})
                       : said                    ? *said
                       : text_.has_any(kv_names) ? text_.count(kv_names)
                                                 : text_.count_or(kv_names, kv_default.value_or(attention.query_heads));
  const Names dim_names = {"head_dim", "attention_head_dim", "kv_channels", "d_kv"};
  if (own_sizes) {
    attention.head_dim = text_.count({text_.has("swa_head_dim") ? "swa_head_dim" : "head_dim"});
  } else if (text_.has_any(dim_names)) {
    attention.head_dim = text_.count(dim_names);
  } else if (const auto value = class_default(family_.type, "head_dim")) {
    attention.head_dim = text_.count_or(dim_names, *value);
  } else {
    attention.head_dim = hidden_ / attention.query_heads;
    text_.remark(fmt::format("head_dim is not in the file: {:g}, the width over the heads", attention.head_dim));
    if (attention.head_dim != std::floor(attention.head_dim)) {
      text_.complain("head_dim",
                     fmt::format("missing, and {:g} does not divide by {:g} heads", hidden_, attention.query_heads),
                     "give head_dim");
    }
  }
  const bool global_sizes = !sliding && family_.type.starts_with("gemma4");
  if (global_sizes) {
    attention.head_dim = dimension(text_, family_, {"global_head_dim"});
    attention.key_is_value = text_.flag_or({"attention_k_eq_v"}, false);
    const auto global_kv = text_.optional_count({"num_global_key_value_heads"});
    if (attention.key_is_value && global_kv) attention.kv_heads = *global_kv;
  }
  const std::string_view value_key = own_sizes ? "swa_v_head_dim" : "v_head_dim";
  attention.value_dim = text_.optional_count({value_key}).value_or(0);
  if (attention.value_dim == 0 && text_.has(value_key))
    text_.complain(value_key, "is 0", "values have at least one dimension: leave it out where it is head_dim");
  if (attention.value_dim == 0) attention.value_dim = attention.head_dim;
  if (attention.kv_heads < 1 || attention.kv_heads > attention.query_heads) {
    text_.complain("num_key_value_heads",
                   fmt::format("{:g} for {:g} query heads", attention.kv_heads, attention.query_heads),
                   "key/value heads are shared by groups of query heads");
  }
  must_divide(text_, own_sizes ? "swa_num_key_value_heads" : text_.spelled(kv_names), attention.kv_heads,
              attention.query_heads, "query heads");
  if (sliding) attention.window = window_of(text_, family_);
  if (form.window) attention.window = *form.window;
  if (form.mixer == LayerKind::chunked) {
    attention.window = dimension(text_, family_, {"attention_chunk_size"});
    attention.chunked = true;
  }
  attention.borrows_kv = borrows_kv(index);

  const bool asked = text_.flag_or({"use_qk_norm", "qk_layernorm", "qk_norm"}, family_.qk_norm != QkNorm::by_key);
  const bool normed = family_.qk_norm != QkNorm::none && asked;
  const bool wide = family_.qk_norm == QkNorm::full_width || family_.type == "cohere" || family_.type == "stablelm";
  attention.query_norm = !normed ? 0 : wide ? attention.query_heads * attention.head_dim : attention.head_dim;
  attention.key_norm = !normed ? 0 : wide ? attention.kv_heads * attention.head_dim : attention.head_dim;

  attention.qkv_bias = text_.flag_or({"attention_bias", "qkv_bias", "use_qkv_bias", "add_qkv_bias", "use_bias", "bias"},
                                     family_.qkv_bias);
  attention.output_bias = text_.flag_or({"attention_out_bias"}, attention.qkv_bias && family_.bias_reaches_output);
  const bool gated = text_.flag_or({"attn_output_gate"}, family_.output_gate);
  attention.gate = gated ? attention.query_heads * attention.head_dim : 0;
  attention.sinks =
      text_.flag_or({sliding ? "add_swa_attention_sink_bias" : "add_full_attention_sink_bias"}, family_.sinks);
  return attention;
}

LatentAttention LayerBuilder::latent() const {
  text_.settle({"head_dim", "num_key_value_heads", "attention_head_dim"});  // one compressed head serves all
  const double both = text_.count({"qk_nope_head_dim"}) + text_.count({"qk_rope_head_dim"});
  if (const auto whole = text_.optional_count({"qk_head_dim"}); whole && *whole != both) {
    text_.complain("qk_head_dim", fmt::format("{:g}, and its parts come to {:g}", *whole, both),
                   "it is qk_nope_head_dim and qk_rope_head_dim together");
  }
  return {.query_heads = heads_of(text_, family_),
          .query_rank = text_.optional_count({"q_lora_rank"}).value_or(0),
          .kv_rank = text_.count({"kv_lora_rank"}),
          .nope_dim = text_.count({"qk_nope_head_dim"}),
          .rope_dim = text_.count({"qk_rope_head_dim"}),
          .value_dim = family_.type == "minicpm3" && !text_.has("v_head_dim") ? hidden_ / heads_of(text_, family_)
                                                                              : text_.count({"v_head_dim"}),
          .bias = text_.flag_or({"attention_bias"}, false)};
}

CompressedAttention LayerBuilder::compressed(const LayerForm& form) const {
  // only the short ratio has overlapping entries and an indexer
  constexpr double kIndexedRatio = 4;
  text_.settle({"num_key_value_heads", "qk_rope_head_dim"});  // one head, of which a part is turned
  CompressedAttention attention{.query_heads = heads_of(text_, family_),
                                .head_dim = text_.count({"head_dim"}),
                                .query_rank = text_.count({"q_lora_rank"}),
                                .output_groups = text_.count({"o_groups"}),
                                .output_rank = text_.count({"o_lora_rank"}),
                                .window = text_.count({"sliding_window"}),
                                .ratio = form.ratio,
                                .overlap = form.ratio == kIndexedRatio};
  if (form.ratio == kIndexedRatio) {
    attention.index_heads = text_.count({"index_n_heads"});
    attention.index_dim = text_.count({"index_head_dim"});
    attention.top = text_.count({"index_topk"});
  }
  return attention;
}

DeltaAttention LayerBuilder::delta() const {
  must_divide(text_, "linear_num_key_heads", text_.count({"linear_num_key_heads"}),
              text_.count({"linear_num_value_heads"}), "value heads");
  return {.key_heads = text_.count({"linear_num_key_heads"}),
          .value_heads = text_.count({"linear_num_value_heads"}),
          .key_dim = text_.count({"linear_key_head_dim"}),
          .value_dim = text_.count({"linear_value_head_dim"}),
          .kernel = text_.count({"linear_conv_kernel_dim"})};
}

DeltaAttention LayerBuilder::kimi_delta() const {
  const auto linear = text_.child("linear_attn_config");
  if (!linear) return {};
  const double heads = linear->count({"num_heads"}), dim = linear->count({"head_dim"});
  return {.key_heads = heads,
          .value_heads = heads,
          .key_dim = dim,
          .value_dim = dim,
          .kernel = linear->count({"short_conv_kernel_size"}),
          .decay_rank = dim,
          .gate_rank = dim};
}

Mamba LayerBuilder::mamba() const {
  Mamba mamba{.heads = text_.count({"mamba_num_heads", "mamba_n_heads", "n_mamba_heads"}),
              .head_dim = 0,
              .state_size = text_.count({"ssm_state_size", "mamba_d_state"}),
              .groups = text_.count({"n_groups", "mamba_n_groups", "mamba_ngroups"}),
              .kernel = text_.count({"conv_kernel", "mamba_d_conv"}),
              .convolution_bias = text_.flag_or({"use_conv_bias", "mamba_conv_bias"}, true),
              .projection_bias = text_.flag_or({"mamba_proj_bias"}, false) || text_.flag_or({"use_bias"}, false)};
  must_divide(text_, text_.spelled({"n_groups", "mamba_n_groups", "mamba_ngroups"}), mamba.groups, mamba.heads,
              "heads");
  const Names dim_names = {"mamba_head_dim", "mamba_d_head", "mamba_headdim"};
  const JsonValue* said = text_.value(dim_names);
  if (said != nullptr && said->number() != nullptr) {
    mamba.head_dim = text_.count(dim_names);
    text_.settle({"mamba_expand", "expand"});
  } else {  // "auto": the expanded width over the heads
    mamba.head_dim = text_.count({"mamba_expand", "expand"}) * hidden_ / mamba.heads;
    if (mamba.head_dim != std::floor(mamba.head_dim)) {
      text_.complain("mamba_d_head", "the expanded width does not divide by the heads", "give mamba_d_head");
    }
  }
  return mamba;
}

LightningAttention LayerBuilder::lightning() const {
  const double heads = heads_of(text_, family_), dim = text_.count({"head_dim"});
  return {.query_heads = heads, .kv_heads = heads, .head_dim = dim, .output_norm = heads * dim};
}

Mixer LayerBuilder::mixer(const LayerForm& form, double index) const {
  switch (form.mixer) {
    case LayerKind::none:
    case LayerKind::linear:
      return NoMixer{};
    case LayerKind::delta:
      return delta();
    case LayerKind::kimi_delta:
      return kimi_delta();
    case LayerKind::lightning:
      return lightning();
    case LayerKind::mamba:
      return mamba();
    case LayerKind::convolution:
      for (const std::string_view key : {"conv_dim", "conv_dim_out", "block_dim"}) {
        const auto width = text_.optional_count({key});
        if (width && *width != hidden_)
          text_.complain(key, fmt::format("{:g} where the hidden width is {:g}", *width, hidden_),
                         "convolutions of another width are not supported");
      }
      return ShortConvolution{
          .kernel = text_.count({"conv_L_cache"}), .channels = hidden_, .bias = text_.flag_or({"conv_bias"}, false)};
    case LayerKind::compressed:
      return compressed(form);
    case LayerKind::cross: {
      const GroupedAttention like = grouped(form, index);
      return CrossAttention{.query_heads = like.query_heads,
                            .kv_heads = like.kv_heads,
                            .head_dim = like.head_dim,
                            .query_norm = like.head_dim,
                            .key_norm = like.head_dim,
                            .gates = 2};
    }
    case LayerKind::full:
    case LayerKind::sliding:
    case LayerKind::chunked:
      break;
  }
  if (form.mixer != LayerKind::full && text_.has("kv_lora_rank")) {
    text_.complain("sliding_window", "latent attention with a window is not supported", "no published model has it");
  }
  if (form.mixer == LayerKind::full && text_.has("kv_lora_rank")) {
    if (!text_.has("index_topk")) return latent();
    return IndexedAttention{.latent = latent(),
                            .index_heads = text_.count({"index_n_heads"}),
                            .index_dim = text_.count({"index_head_dim"}),
                            .top = text_.count({"index_topk"}),
                            .borrows_index = borrows_index(index)};
  }
  return grouped(form, index);
}

double LayerBuilder::ffn_size(const LayerForm& form, double index) const {
  const Names names = {"intermediate_size", "ffn_hidden_size", "ffn_dim", "n_inner", "feed_forward_length"};
  if (form.ffn_size) {
    text_.settle(names);
    return *form.ffn_size;
  }
  if (text_.has("block_auto_adjust_ff_dim") || text_.has("block_ff_dim")) {  // LFM2
    double size = text_.count({text_.has("block_ff_dim") ? "block_ff_dim" : "intermediate_size"});
    if (!text_.flag_or({"block_auto_adjust_ff_dim"}, true)) return size;
    size = std::trunc(2 * size / 3);
    if (const auto factor = text_.optional_number({"block_ffn_dim_multiplier"})) {
      if (!(*factor > 0 && *factor <= 1000))
        text_.complain("block_ffn_dim_multiplier", fmt::format("{:g} is no factor", *factor), "between 0 and 1,000");
      size = std::trunc(std::clamp(*factor, 0.0, 1000.0) * size);
    }
    const double multiple = text_.count({"block_multiple_of"});
    return multiple * std::ceil(size / multiple);
  }
  if (family_.type == "llama4_text") {
    text_.settle({"intermediate_size"});  // of experts
    return dimension(text_, family_, {"intermediate_size_mlp"});
  }
  if (const JsonValue* listed = text_.value(names); listed != nullptr && listed->array() != nullptr) {
    const auto sizes = text_.optional_counts(names);
    const auto at = static_cast<std::size_t>(index);
    if (sizes && static_cast<double>(sizes->size()) != layers_) {
      text_.complain(text_.spelled(names), fmt::format("{} entries for {:g} layers", sizes->size(), layers_),
                     "one for each layer is expected");
    }
    const double size = sizes && at < sizes->size() ? (*sizes)[at] : 1;
    if (size < 1) text_.complain(text_.spelled(names), fmt::format("is {:g} in layer {:g}", size, index), "at least 1");
    return std::max(size, 1.0);
  }
  const bool four_wide = family_.type == "gpt2" || family_.type == "bloom" || family_.type == "falcon";
  if (four_wide && !text_.has_any(names)) return text_.count_or(names, 4 * hidden_);
  return text_.count(names);
}

Experts LayerBuilder::experts(double index) const {
  Experts experts;
  experts.count = routed_experts(text_);
  const Names chosen_names = {"num_experts_per_tok",
                              "num_experts_per_token",
                              "experts_per_token",
                              "top_k_experts",
                              "moe_topk",
                              "moe_k",
                              "moe_top_k"};
  experts.per_token =
      text_.has_any(chosen_names) ? uniform_count(text_, chosen_names).value_or(0) : text_.count(chosen_names);
  if (experts.per_token < 1 || experts.per_token > experts.count) {
    text_.complain("num_experts_per_tok", fmt::format("{:g} of {:g} experts", experts.per_token, experts.count),
                   "a token uses at least one expert and at most all");
  }
  const Names size_names = {"moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size"};
  experts.size = uniform_count(text_, size_names).value_or(0);
  if (experts.size == 0 && text_.has_any(size_names))
    text_.complain(text_.spelled(size_names), fmt::format("is 0 for {:g} experts", experts.count), "at least 1");
  if (experts.size == 0) experts.size = text_.count({"intermediate_size"});
  text_.settle({"intermediate_size", "intermediate_size_mlp"});  // of dense layers, should there be any
  experts.gated = family_.gated;
  experts.bias = family_.expert_bias;
  experts.latent = text_.optional_count({"moe_latent_size"}).value_or(0);

  experts.shared =
      uniform_count(text_, {"n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"})
          .value_or(family_.always_one_shared ? 1 : 0);
  const auto shared_size = text_.optional_count(
      {"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size"});
  if (shared_size && family_.shared_size_is_total && experts.shared == 0 && *shared_size > 0) experts.shared = 1;
  experts.shared_size = !shared_size                   ? experts.shared * experts.size
                        : family_.shared_size_is_total ? *shared_size
                                                       : experts.shared * *shared_size;
  experts.shared_gate = text_.has("shared_expert_intermediate_size") && experts.shared_size > 0;

  const auto method = text_.optional_text({"topk_method"});
  const bool by_method = method ? *method == "noaux_tc" : family_.routing_bias;
  experts.routing_bias =
      text_.flag_or({"use_routing_bias", "moe_router_enable_expert_bias", "use_expert_bias"}, by_method);
  experts.router_bias = family_.router_bias;
  const double hash_layers = text_.count_or({"num_hash_layers"}, 0, false);
  if (index < hash_layers) {
    experts.hash_rows = text_.count({"vocab_size"});
    experts.routing_bias = experts.router_bias = false;
  }
  if (family_.type.starts_with("gemma4"))
    experts.scales = hidden_ + experts.count;  // of the router's input; a scale each
  experts.groups = std::max(1.0, text_.optional_count({"n_group", "num_expert_group"}).value_or(1));
  experts.groups_used = std::max(1.0, text_.optional_count({"topk_group"}).value_or(experts.groups));
  must_divide(text_, text_.spelled({"n_group", "num_expert_group"}), experts.groups, experts.count, "experts");
  if (experts.groups_used > experts.groups) {
    text_.complain("topk_group", fmt::format("{:g} of {:g} groups", experts.groups_used, experts.groups),
                   "a token uses at most all groups");
  }
  return experts;
}

void LayerBuilder::feed_forward(const LayerForm& form, double index, Layer& layer) const {
  if (!form.feed_forward) return;
  if (form.linear_ffn) return layer.extra.push_back(matrix(Part::dense_ffn, "mlp.linear_mlp", hidden_, hidden_));
  if (form.experts) layer.experts = experts(index);
  const bool beside = form.experts && family_.type.starts_with("gemma4");  // a dense network runs in parallel
  const auto shared_only = text_.optional_count({"shared_intermediate_size"});
  if (form.experts && !beside) return;
  const bool granite = !form.experts && shared_only && family_.type == "granitemoehybrid";
  if (granite) text_.settle({"intermediate_size"});  // of experts
  layer.dense = DenseFeedForward{
      .size = granite ? *shared_only : ffn_size(form, index),
      .gated = family_.gated,
      .bias = text_.flag_or({"mlp_bias"},
                            family_.ffn_bias || (family_.type == "falcon" && text_.flag_or({"bias"}, false)))};
  if (borrows_kv(index) && text_.flag_or({"use_double_wide_mlp"}, false)) layer.dense->size *= 2;
}

/// What single families have beside attention and feed-forward network.
void LayerBuilder::extras(const LayerForm& form, Layer& layer) const {
  Weights& out = layer.extra;
  if (form.mixer == LayerKind::linear)
    out.push_back(matrix(Part::attention, "self_attn.linear_attn", hidden_, hidden_));
  if (const auto* attention = std::get_if<GroupedAttention>(&layer.mixer);
      attention != nullptr && attention->borrows_kv && !text_.flag_or({"use_cla"}, false)) {
    // the releases keep the projections that these layers had in training; nothing reads them
    const double width = attention->kv_heads * attention->head_dim;
    const double matrices = attention->key_is_value ? 1 : 2;
    out.push_back({Part::attention, "self_attn.kv_proj_unused", hidden_, width, matrices, 0});
    out.push_back({Part::attention, "self_attn.k_norm_unused", 1, attention->key_norm, 1, 0, Use::vector});
  }
  if (const double width = optional_dimension(text_, family_, {"hidden_size_per_layer_input"}); width > 0) {
    out.push_back(matrix(Part::other, "per_layer_input_gate", hidden_, width));
    out.push_back(matrix(Part::other, "per_layer_projection", width, hidden_));
    out.push_back(vector(Part::norms, "post_per_layer_input_norm", hidden_));
  }
  if (family_.type.starts_with("gemma4")) {
    out.push_back(vector(Part::other, "layer_scalar", 1));
    if (layer.experts) layer.norms += 3;
  }
  if (family_.type == "gemma3n_text") {
    const double inputs = text_.count({"altup_num_inputs"}), rank = text_.count({"laurel_rank"});
    out.push_back(matrix(Part::other, "laurel.linear_left", hidden_, rank));
    out.push_back(matrix(Part::other, "laurel.linear_right", rank, hidden_));
    out.push_back(vector(Part::norms, "laurel.post_laurel_norm", hidden_));
    out.push_back(vector(Part::other, "altup.correct_output_scale", hidden_));
    out.push_back(matrix(Part::other, "altup.correction_coefs", inputs, inputs));
    out.push_back(matrix(Part::other, "altup.prediction_coefs", inputs, inputs * inputs));
    out.push_back(matrix(Part::other, "altup.modality_router", hidden_, inputs));
    out.push_back(vector(Part::norms, "altup.router_norm", hidden_));
  }
  if (const double streams = text_.count_or({"hc_mult"}, 0, false); streams > 0) {  // DeepSeek-V4's residual streams
    const double mixes = (2 + streams) * streams;
    out.push_back({Part::other, "hc_fn", streams * hidden_, mixes, 2, 2});
    out.push_back({Part::other, "hc_base", 1, mixes, 2, 2, Use::vector});
    out.push_back({Part::other, "hc_scale", 1, 3, 2, 2, Use::vector});
  }
  if (family_.type == "apertus") out.push_back(vector(Part::dense_ffn, "mlp.act_fn", 2));
}

Layer LayerBuilder::build(const LayerForm& form, double index) const {
  Layer layer;
  layer.mixer = mixer(form, index);
  layer.norms = family_.norms;
  layer.norm_bias = family_.norm_bias;
  if (family_.type == "nemotron-nas") {  // a half that is not there has no norm either
    layer.norms = (form.mixer == LayerKind::none ? 0 : 1) + (form.feed_forward ? 1 : 0);
  }
  if (family_.type == "falcon") {  // 7B has one norm before both halves, 40B one for each
    const bool apart = text_.flag_or({"new_decoder_architecture"}, false) || !text_.flag_or({"parallel_attn"}, true);
    layer.norms = text_.count_or({"num_ln_in_parallel_attn"}, apart ? 2 : 1, false);
    text_.settle({"parallel_attn"});
  }
  if (family_.type == "stablelm" && text_.flag_or({"use_parallel_residual"}, false)) layer.norms = 1;
  feed_forward(form, index, layer);
  extras(form, layer);
  return layer;
}

}  // namespace ridge::catalog
