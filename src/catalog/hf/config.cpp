#include "catalog/hf/config.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "catalog/hf/mixers.hpp"
#include "catalog/hf/quantization.hpp"
#include "catalog/hf/towers.hpp"
#include "model/layer_text.hpp"

namespace ridge::catalog {

namespace {

/// Words in keys that describe how a model is built, and the keys with such words that do not.
bool may_be_structure(std::string_view key) {
  constexpr std::string_view kWords[] = {"layer", "attn", "attention", "moe",   "expert", "window", "head",
                                         "rank",  "mtp",  "ssm",       "mamba", "conv",   "sparse", "compress",
                                         "group", "lora", "kv",        "share", "cla_",   "mla",    "norm",
                                         "bias",  "tie",  "mlp",       "block", "ffn"};
  constexpr std::string_view kHarmless[] = {"attention_dropout",
                                            "attn_dropout",
                                            "attn_pdrop",
                                            "hidden_dropout",
                                            "classifier_dropout",
                                            "rms_norm_eps",
                                            "norm_eps",
                                            "layer_norm_eps",
                                            "layer_norm_epsilon",
                                            "layernorm_epsilon",
                                            "norm_epsilon",
                                            "norm_topk_prob",
                                            "attn_logit_softcapping",
                                            "attention_value_scale",
                                            "attention_softmax_in_fp32",
                                            "output_attentions",
                                            "num_logits_to_keep",
                                            "pruned_heads",
                                            "cross_attention_hidden_size",
                                            "add_cross_attention",
                                            "chunk_size_feed_forward",
                                            "moe_shared_expert_overlap",
                                            "query_pre_attn_scalar",
                                            "use_bidirectional_attention",
                                            "max_window_layers",
                                            "sliding_window",
                                            "use_sliding_window",
                                            "full_attention_interval",
                                            "sliding_window_pattern",
                                            "qk_head_dim",
                                            "qk_norm_type",
                                            "mtp_transformer_layers",
                                            "use_mtp",
                                            "head_dim",
                                            "num_key_value_heads",
                                            "attention_bias",
                                            "mlp_bias",
                                            "top_k_experts",
                                            "num_experts",
                                            "expert_intermediate_size",
                                            "attention_chunk_size",
                                            "rescale_prenorm_residual",
                                            "_attn_implementation",
                                            "_attn_implementation_autoset",
                                            "attn_implementation",
                                            "full_attn_mod",
                                            "router_aux_loss_coef",
                                            "mlp_only_layers",
                                            "vocab_size_per_layer_input",
                                            "moe_layer_freq",
                                            "mamba_hidden_act",
                                            "use_mamba_kernels",
                                            "mlp_hidden_act",
                                            "moe_router_dtype",
                                            "n_group",
                                            "topk_group",
                                            "tie_encoder_decoder",
                                            "use_mrope",
                                            "qk_rope_head_dim",
                                            "indexer_rope_interleave",
                                            "for_llm_compressor",
                                            "compress_rope_theta",
                                            "use_double_wide_mlp",
                                            "num_beam_groups",
                                            "layer_types",
                                            "num_attention_heads",
                                            "image_token_index",
                                            "num_experts_per_tok",
                                            "moe_intermediate_size",
                                            "shared_expert_intermediate_size",
                                            "decoder_sparse_step",
                                            "ep_size",
                                            "time_step_rank",
                                            "attention_type",
                                            "norm_type",
                                            "linear_attn_config",
                                            "moe_router_activation_func",
                                            "intermediate_size_mlp",
                                            "attn_output_gate",
                                            "mtp_use_dedicated_embeddings",
                                            "layernorm_full_attention_alpha",
                                            "layernorm_full_attention_beta",
                                            "layernorm_linear_attention_alpha",
                                            "layernorm_linear_attention_beta",
                                            "layernorm_mlp_alpha",
                                            "layernorm_mlp_beta",
                                            "postnorm",
                                            "use_parallel_residual"};
  const auto holds = [&](std::string_view word) { return key.find(word) != std::string_view::npos; };
  return std::any_of(std::begin(kWords), std::end(kWords), holds) &&
         std::find(std::begin(kHarmless), std::end(kHarmless), key) == std::end(kHarmless);
}

class ConfigReader {
 public:
  ConfigReader(const JsonValue& root, std::string_view place, const Assumptions& assumptions)
      : tree_(root),
        assumptions_(assumptions),
        log_{.place = std::string(place), .errors = {}, .remarks = {}, .read = {}},
        root_(root, "", log_),
        text_(find_text()) {}

  Result<ReadModel> run() {
    if (tree_.object() == nullptr) {
      return fail(
          {log_.place, fmt::format("{} where a config is expected", kind_of(tree_)), "a config.json is one object"});
    }
    find_family_of_file();
    if (family_ == nullptr) return fail(log_.errors);
    if (const Plans plans = plan_layers(text_, *family_, assumptions_, used_); log_.errors.empty()) build(plans);
    check_assumptions();
    if (!log_.errors.empty()) return fail(unique_errors());
    std::vector<std::string> unread = unread_keys(tree_, log_);
    note_unread(unread);
    model_.remarks = unique(log_.remarks);
    return ReadModel{std::move(model_), std::move(unread)};
  }

 private:
  /// Models that also see or hear keep the language model in an object of its own.
  ConfigNode find_text() {
    const JsonValue* thinker = tree_.find("thinker_config");  // Qwen Omni: the part that writes text
    const bool nested = thinker != nullptr && thinker->find("text_config") != nullptr;
    if (nested) {
      if (const auto text = root_.child("thinker_config")->child("text_config")) return *text;
    }
    for (const std::string_view key : {"text_config", "llm_config", "language_config"}) {
      const JsonValue* found = tree_.find(key);
      if (found != nullptr && found->object() != nullptr) return *root_.child(key);
    }
    return root_;
  }

  std::string first_architecture(const ConfigNode& node) const {
    const JsonValue* listed = node.value({"architectures"});
    if (listed == nullptr || listed->array() == nullptr || listed->array()->empty()) return "";
    const std::string* text = listed->array()->front().text();
    return text == nullptr ? "" : *text;
  }

  void find_family_of_file() {
    std::string type = text_.optional_text({"model_type"}).value_or("");
    const std::string outer = root_.optional_text({"model_type"}).value_or("");
    if (type.empty()) type = outer;
    const std::string architecture = first_architecture(text_), outer_architecture = first_architecture(root_);
    std::string meant = type;
    if (const auto assumed = assumptions_.find(type); !type.empty() && assumed != assumptions_.end()) {
      meant = assumed->second;
      used_.push_back(type);
    }
    family_ = find_family(meant, architecture.empty() ? outer_architecture : architecture);
    if (family_ == nullptr) family_ = find_family(outer, outer_architecture);
    model_.family = type.empty() ? outer_architecture : type;
    if (family_ == nullptr) {
      root_.complain(
          "model_type",
          type.empty() && outer_architecture.empty()
              ? std::string("neither model_type nor architectures: this is no model's config")
              : fmt::format("model type \"{}\" is not known", shortened(type.empty() ? outer_architecture : type)),
          fmt::format("{}; if you know that it is built like one of them, say {}", suggestion(type, family_names()),
                      field("assume", (type.empty() ? "NAME" : shortened(type)) + "=TYPE")));
      return;
    }
    if (!family_->refused.empty()) {
      root_.complain("model_type", fmt::format("\"{}\" is not supported: {}", family_->type, family_->refused),
                     "its layers cannot be counted exactly yet");
      family_ = nullptr;
    }
  }

  void build(const Plans& plans) {
    const auto layers = static_cast<double>(plans.layers.size());
    model_.hidden = text_.count({"hidden_size", "n_embd", "d_model", "n_embed"});
    model_.vocabulary = dimension(text_, *family_, {"vocab_size", "padded_vocab_size"});
    const Names limit_names = {"max_position_embeddings", "n_positions", "seq_length", "max_seq_len",
                               "max_sequence_length"};
    if (text_.has_any(limit_names) || class_default(family_->type, "max_position_embeddings")) {
      model_.context_limit = dimension(text_, *family_, limit_names);
      const auto original = text_.optional_count({"original_max_position_embeddings"});
      if (original && *original == model_.context_limit && text_.has("rope_scaling")) {
        log_.remarks.push_back("the context limit is that before scaling; the file says how to scale, not how far");
      }
    } else {
      log_.remarks.push_back("the file does not say how long a context may be");
    }
    model_.tied_embeddings = tied();
    model_.final_norm = family_->norms > 0;
    model_.final_norm_bias = family_->norm_bias;
    if (const auto width = text_.optional_count({"word_embed_proj_dim"}); width && *width != model_.hidden) {
      text_.complain("word_embed_proj_dim", "embeddings of another width than the layers are not supported",
                     "only opt-350m has them");
    }
    const LayerBuilder builder(text_, *family_, layers);
    for (std::size_t i = 0; i < plans.layers.size() && log_.errors.empty(); ++i) {
      model_.order.push_back(kind_index(builder.build(plans.layers[i], static_cast<double>(i)), plans.layers[i]));
    }
    for (const LayerPlan& plan : plans.mtp) {
      if (!log_.errors.empty()) return;
      model_.mtp_order.push_back(kind_index(builder.build(plan, layers), plan));
    }
    if (!log_.errors.empty()) return;
    add_outer_extras(layers);
    add_mtp_extras();
    name_kinds();
    if (text_.has("cross_attention_layers")) {
      log_.remarks.push_back("cross-attention layers count as used, as with an image; text alone skips them");
    }
    const Towers towers = count_towers(root_, model_.hidden);
    model_.vision = towers.vision;
    model_.audio = towers.audio;
    check_sizes();
    if (log_.errors.empty()) read_precision(root_, text_, model_);
  }

  /// Products of sizes that are each possible may be beyond anything: no model has such a tensor.
  void check_sizes() {
    constexpr double kMost = 1e12;
    const auto check = [&](std::string_view what, double value) {
      if (std::fabs(value) <= kMost) return;
      root_.complain("model_type", fmt::format("{} comes to {:g}", what, value),
                     "no model is that large: check the sizes in the file");
    };
    check("the vision tower", model_.vision);
    check("the audio tower", model_.audio);
    const auto check_weights = [&](const Weights& weights) {
      for (const Weight& weight : weights) {
        for (const double size : {weight.in, weight.out, weight.count}) check(weight.name, size);
      }
    };
    check_weights(model_.extra);
    check_weights(model_.mtp_extra);
    for (const Layer& kind : model_.kinds) {
      check_weights(kind.extra);
      for (const auto& [key, value] : fields_of(kind)) check(key, parse_number(value).value_or(0));
    }
  }

  /// A key that sounds like structure and was not read: the reader should know, without asking for all of them.
  void note_unread(const std::vector<std::string>& unread) {
    std::vector<std::string> suspicious;
    const std::string prefix = text_.path().empty() ? "" : text_.path() + ".";
    for (const std::string& path : unread) {
      const std::string key = path.starts_with(prefix) ? path.substr(prefix.size()) : "";
      if (!key.empty() && key.find('.') == std::string::npos && may_be_structure(key)) suspicious.push_back(key);
    }
    if (!suspicious.empty()) {
      log_.remarks.push_back("not read, and may matter: " + joined(suspicious, ", "));
    }
  }

  bool tied() const {
    if (const auto outer = root_.optional_flag({"tie_word_embeddings", "tie_embedding"})) {
      const auto inner = text_.optional_flag({"tie_word_embeddings", "tie_embedding"});
      if (inner && *inner != *outer)
        root_.remark(fmt::format("tie_word_embeddings: the outer {} counts, the inner one says {}", *outer, *inner));
      return *outer;
    }
    return text_.flag_or({"tie_word_embeddings", "tie_embedding"}, family_->tied, true);
  }

  std::size_t kind_index(Layer layer, const LayerPlan& plan) {
    for (std::size_t i = 0; i < model_.kinds.size(); ++i) {
      if (alike(model_.kinds[i], layer)) return i;
    }
    plan_of_kind_.push_back(plan);
    model_.kinds.push_back(std::move(layer));
    return model_.kinds.size() - 1;
  }

  void add_outer_extras(double layers) {
    Weights& out = model_.extra;
    if (family_->extra_rows > 0)
      out.push_back(table(Part::embedding, "embed_tokens.extra", family_->extra_rows, model_.hidden));
    if (text_.flag_or({"lm_head_bias"}, family_->head_bias))
      out.push_back(vector(Part::head, "lm_head.bias", model_.vocabulary));
    if (const double width = optional_dimension(text_, *family_, {"hidden_size_per_layer_input"}); width > 0) {
      const double rows = dimension(text_, *family_, {"vocab_size_per_layer_input"});
      out.push_back(table(Part::embedding, "embed_tokens_per_layer", rows, layers * width));
      out.push_back(matrix(Part::other, "per_layer_model_projection", model_.hidden, layers * width));
      out.push_back(vector(Part::norms, "per_layer_projection_norm", width));
    }
    if (family_->type == "gemma3n_text") {
      const double inputs = text_.count({"altup_num_inputs"});
      out.push_back(
          {Part::other, "altup_projections", model_.hidden, model_.hidden, 2 * (inputs - 1), 2 * (inputs - 1)});
    }
    if (const double streams = text_.count_or({"hc_mult"}, 0, false); streams > 0)
      push_head_mixing(out, Part::other, streams, 1);
    if (family_->type == "gpt2" || family_->type == "opt") {
      const double beyond = family_->type == "opt" ? 2 : 0;
      out.push_back(table(Part::embedding, "position_embedding", model_.context_limit + beyond, model_.hidden));
    }
    if (family_->type == "bloom") out.push_back(vector(Part::norms, "word_embeddings_layernorm", 2 * model_.hidden));
  }

  /// DeepSeek-V4 joins its residual streams before the head.
  void push_head_mixing(Weights& out, Part part, double streams, double times) const {
    out.push_back({part, "hc_head_fn", streams * model_.hidden, streams, times, times});
    out.push_back({part, "hc_head_base", 1, streams, times, times, Use::vector});
    out.push_back({part, "hc_head_scale", 1, 1, times, times, Use::vector});
  }

  /// A module joins the hidden state and the next token's embedding, and has three norms of its own.
  void add_mtp_extras() {
    const double modules =
        text_.optional_count({"num_nextn_predict_layers", "mtp_num_hidden_layers"}).value_or(family_->mtp_modules);
    if (model_.mtp_order.empty() || modules <= 0) return;
    const double hidden = model_.hidden;
    const double joins =
        text_.has("compress_ratios") ? 2 : 1;  // two projections of the hidden width, or one of twice it
    Weights& out = model_.mtp_extra;
    out.push_back({Part::mtp, "eh_proj", 2 / joins * hidden, hidden, modules * joins, modules * joins});
    out.push_back({Part::mtp, "norms", 1, hidden, 3 * modules, 3 * modules, Use::vector});
    if (text_.flag_or({"mtp_use_dedicated_embeddings"}, false)) {
      out.push_back({Part::mtp, "embed_tokens", hidden, model_.vocabulary, modules, modules, Use::table});
    }
    if (family_->mtp_tables) {
      out.push_back({Part::mtp, "embed_tokens", hidden, model_.vocabulary, modules, modules, Use::table});
      out.push_back({Part::mtp, "shared_head.head", hidden, model_.vocabulary, modules, modules});
      log_.remarks.push_back(
          "the prediction modules are counted with their own copies of embedding and head, as released by this family");
    }
    if (const double streams = text_.count_or({"hc_mult"}, 0, false); streams > 0) {
      push_head_mixing(out, Part::mtp, streams, modules);
    }
  }

  static std::string word_for(const Layer& layer, const LayerPlan& plan) {
    using enum LayerKind;
    const auto* attention = std::get_if<GroupedAttention>(&layer.mixer);
    const std::string borrowed = attention != nullptr && attention->borrows_kv ? "-borrowing" : "";
    switch (plan.mixer) {
      case sliding:
        return "window" + borrowed;
      case chunked:
        return "chunk";
      case delta:
      case kimi_delta:
      case lightning:
        return "linear";
      case mamba:
        return "mamba";
      case convolution:
        return "conv";
      case cross:
        return "cross";
      case compressed:
        return plan.ratio == 0 ? "window" : fmt::format("compressed-{:.0f}", plan.ratio);
      case none:
      case linear:
        return "";
      case full:
        break;
    }
    return (layer.dense || layer.experts ? "full" : "attention") + borrowed;
  }

  /// Short names that tell the kinds of this model apart: "dense", "expert", "window", "full-expert".
  void name_kinds() {
    std::vector<std::string> mixers, networks;
    for (std::size_t i = 0; i < model_.kinds.size(); ++i) {
      const Layer& layer = model_.kinds[i];
      mixers.emplace_back(word_for(layer, plan_of_kind_[i]));
      networks.emplace_back(layer.experts ? "expert" : layer.dense ? "dense" : "");
    }
    const bool one_mixer = unique(mixers).size() == 1, one_network = unique(networks).size() == 1;
    for (std::size_t i = 0; i < model_.kinds.size(); ++i) {
      std::string name = mixers[i].empty() ? networks[i]
                         : networks[i].empty() || one_network
                             ? (one_mixer && !networks[i].empty() ? networks[i] : mixers[i])
                         : one_mixer ? networks[i]
                                     : mixers[i] + "-" + networks[i];
      if (name.empty()) name = "empty";
      std::string unused = name;
      const auto taken = [&](const std::string& candidate) {
        return std::any_of(model_.kinds.begin(), model_.kinds.begin() + static_cast<std::ptrdiff_t>(i),
                           [&](const Layer& other) { return other.name == candidate; });
      };
      for (int n = 2; taken(unused); ++n) unused = fmt::format("{}-{}", name, n);
      model_.kinds[i].name = unused;
    }
  }

  void check_assumptions() {
    for (const auto& [type, kind] : assumptions_) {
      const bool used = std::find(used_.begin(), used_.end(), type) != used_.end();
      if (used) {
        model_.assumptions.push_back(fmt::format("assumed, as you said: {} is {}", type, kind));
      } else if (log_.errors.empty()) {
        log_.errors.push_back({"assume", fmt::format("nothing in {} is called \"{}\"", log_.place, shortened(type)),
                               "leave it out, or name a layer type or model type of the file"});
      }
    }
  }

  static std::vector<std::string> unique(const std::vector<std::string>& texts) {
    std::vector<std::string> out;
    for (const std::string& text : texts) {
      if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
    }
    return out;
  }
  Errors unique_errors() const {
    Errors out;
    for (const Error& error : log_.errors) {
      if (std::find(out.begin(), out.end(), error) == out.end()) out.push_back(error);
    }
    return out;
  }

  const JsonValue& tree_;
  const Assumptions& assumptions_;
  ConfigLog log_;
  ConfigNode root_, text_;
  const Family* family_ = nullptr;
  Model model_;
  std::vector<LayerPlan> plan_of_kind_;
  std::vector<std::string> used_;
};

}  // namespace

Result<ReadModel> read_hf_config(const JsonValue& root, std::string_view place, const Assumptions& assumptions) {
  return ConfigReader(root, place, assumptions).run();
}

}  // namespace ridge::catalog
