#include "catalog/hf/layers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

constexpr double kMostLayers = 10'000;

struct NamedKind {
  std::string_view name;
  LayerKind kind;
};

// What else they are called is in catalog/config_names.toml. "linear_attention" is decided by the keys that describe it;
// moe and mlp are networks alone.
constexpr NamedKind kKinds[] = {
    {"full_attention", LayerKind::full},
    {"sliding_attention", LayerKind::sliding},
    {"chunked_attention", LayerKind::chunked},
    {"delta", LayerKind::delta},
    {"kda", LayerKind::kimi_delta},
    {"lightning", LayerKind::lightning},
    {"mamba2", LayerKind::mamba},
    {"conv", LayerKind::convolution},
    {"cross", LayerKind::cross},
};

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const NamedKind& one : kKinds) names.emplace_back(one.name);
  names.insert(names.end(), {"linear_attention", "moe", "mlp"});
  return names;
}

/// Where a list of layers stands: its key, and what its words are called in the catalog.
struct WordPlace {
  std::string_view key, of;
};

/// A pattern's letters, which look at it.
std::vector<std::string_view> letters_of(std::string_view pattern) {
  std::vector<std::string_view> letters;
  for (std::size_t i = 0; i < pattern.size(); ++i) letters.push_back(pattern.substr(i, 1));
  return letters;
}

class Planner {
  using enum LayerKind;

 public:
  Planner(const ConfigNode& text, const Family& family, const Wording& wording)
      : text_(text), family_(family), wording_(wording) {}

  Plans run() {
    count_layers();
    if (plans_.layers.empty()) return plans_;
    plan_mixers();
    // whichever of these decided, the others cannot say more: one list of layers is enough
    text_.settle({"layer_types", "full_attention_interval", "sliding_window_pattern", "_sliding_window_pattern",
                  "use_sliding_window", "max_window_layers", "hybrid_override_pattern", "layers_block_type",
                  "full_attn_idxs", "attn_layer_indices"});
    settle_absent_kinds();
    if (family_.type == "nemotron-nas" && !text_.has("block_configs") && !text_.has("num_key_value_heads_per_layer")) {
      text_.complain("block_configs", "is missing", "this family's layers differ, and only block_configs says how");
    }
    if (const auto heads = text_.optional_counts({"num_key_value_heads_per_layer"});
        heads && right_length("num_key_value_heads_per_layer", *heads)) {
      for (std::size_t i = 0; i < size(); ++i) plans_.layers[i].kv_heads = (*heads)[i];
    }
    if (!blocks_alone_) plan_experts();
    plan_mtp();
    return plans_;
  }

 private:
  std::size_t size() const { return plans_.layers.size(); }

  /// The number of layers; some hybrids say it by the length of their pattern alone.
  void count_layers() {
    const auto pattern = text_.optional_text({"hybrid_override_pattern"});
    const auto said = text_.optional_count({"num_hidden_layers", "n_layer", "num_layers", "n_layers"});
    double layers = said.value_or(0);
    if (!said && pattern) layers = static_cast<double>(pattern->size());
    if (!said && !pattern) {
      if (const auto blocks = text_.optional_texts({"layers_block_type", "layer_types"}))
        layers = static_cast<double>(blocks->size());
      else if (!text_.has_any({"num_hidden_layers", "n_layer"}))
        layers = text_.count({"num_hidden_layers", "n_layer", "num_layers"});
    }
    if (layers < 1 || layers > kMostLayers) {
      text_.complain("num_hidden_layers", fmt::format("{:g} layers", layers), "a model has between 1 and 10,000");
      return;
    }
    plans_.layers.resize(static_cast<std::size_t>(layers));
  }

  template <class List>
  bool right_length(std::string_view key, const List& list, std::size_t beyond = 0) {
    if (list.size() == size() || list.size() == size() + beyond) return true;
    text_.complain(key, fmt::format("{} entries for {} layers", list.size(), size()), "one for each layer is expected");
    return false;
  }

  /// Layers named by their numbers, which start at `first`: each is there, and none is named twice.
  bool right_numbers(std::string_view key, const std::vector<double>& numbers, double first = 0) {
    const double last = first + static_cast<double>(size()) - 1;
    std::vector<double> sorted = numbers;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      text_.complain(key, fmt::format("names layer {:g} twice", *twice), "each layer is named at most once");
    if (!sorted.empty() && (sorted.front() < first || sorted.back() > last)) {
      text_.complain(
          key, fmt::format("names layer {:g} of {}", sorted.front() < first ? sorted.front() : sorted.back(), size()),
          fmt::format("layers are numbered from {:g} to {:g}", first, last));
    }
    return twice == sorted.end() && (sorted.empty() || (sorted.front() >= first && sorted.back() <= last));
  }
  /// A list of marks, one a layer, has one of two values.
  void only_marks(std::string_view key, const std::vector<double>& marks) {
    const auto strange = std::find_if(marks.begin(), marks.end(), [](double mark) { return mark != 0 && mark != 1; });
    if (strange != marks.end())
      text_.complain(key, fmt::format("{:g} is neither 0 nor 1", *strange), "one of two kinds for each layer");
  }
  /// A count of layers is at most all of them.
  void at_most_all(std::string_view key, double count) {
    if (count > static_cast<double>(size()))
      text_.complain(key, fmt::format("{:g} of {} layers", count, size()), "at most all of them");
  }

  void all(LayerKind kind) {
    for (LayerPlan& plan : plans_.layers) plan.mixer = kind;
  }
  template <class Rule>
  void each(Rule&& rule) {
    for (std::size_t i = 0; i < size(); ++i) plans_.layers[i].mixer = rule(i);
  }

  LayerKind linear_kind() const {
    if (text_.has("linear_key_head_dim")) return delta;
    if (text_.has("linear_attn_config")) return kimi_delta;
    return family_.type.starts_with("minimax") ? lightning : none;
  }

  /// What a word of a file means: by the user, else by the catalog.
  std::string meaning(std::string_view of, std::string_view word) {
    const auto assumed = wording_.assumptions.find(word);
    if (assumed == wording_.assumptions.end()) return wording_.words.meaning(of, word);
    if (std::find(wording_.used.begin(), wording_.used.end(), word) == wording_.used.end())
      wording_.used.emplace_back(word);
    return wording_.words.meaning("layer_type", assumed->second);
  }

  /// One word of a per-layer list.
  LayerPlan plan_named(WordPlace place, std::string_view word, bool is_block) {
    const std::string_view key = place.key;
    const std::string meant = meaning(place.of, word);
    LayerPlan plan;
    if (meant == "moe" || meant == "mlp") {
      plan.mixer = none;
      plan.experts = meant == "moe";
      return plan;
    }
    if (meant == "linear_attention") {
      plan.mixer = linear_kind();
      if (plan.mixer != none) return plan;
    }
    for (const NamedKind& one : kKinds) {
      if (one.name != meant) continue;
      plan.mixer = one.kind;
      plan.feed_forward = !is_block;
      return plan;
    }
    if (refused_.size() <= 8 && std::find(refused_.begin(), refused_.end(), word) == refused_.end()) {
      refused_.emplace_back(word);
      constexpr std::size_t kShown = 8;
      if (refused_.size() == kShown + 1)
        text_.complain(key, "and more layer types that are not supported", "the first ones are named above");
      if (refused_.size() <= kShown)
        text_.complain(key, fmt::format("layer type \"{}\" is not supported", shortened(word)),
                       fmt::format("if you know that it works like one that is, say {} ({})",
                                   field("assume", shortened(word) + "=KIND"), joined(kind_names(), ", ")));
    }
    return plan;
  }

  void plan_list(WordPlace place, const std::vector<std::string_view>& words) {
    if (!right_length(place.key, words)) return;
    // a list with blocks of its own for feed-forward networks: every entry is one half of a layer
    blocks_alone_ = std::any_of(words.begin(), words.end(), [&](const auto& word) {
      const std::string meant = wording_.words.meaning(place.of, word);
      return meant == "moe" || meant == "mlp";
    });
    for (std::size_t i = 0; i < words.size(); ++i) plans_.layers[i] = plan_named(place, words[i], blocks_alone_);
  }

  void plan_mixers() {
    if (const auto pattern = text_.optional_text({"hybrid_override_pattern"})) {
      return plan_list({"hybrid_override_pattern", "layer_letter"}, letters_of(*pattern));
    }
    if (const auto words = text_.optional_texts({"layers_block_type"}))
      return plan_list({"layers_block_type", "layer_type"}, *words);
    if (text_.has("block_configs")) return plan_blocks();
    if (const auto ratios = text_.optional_counts({"compress_ratios"})) return plan_compressed(*ratios);
    if (const auto words = text_.optional_texts({"layer_types"}))
      return plan_list({"layer_types", "layer_type"}, *words);
    if (const auto kinds = text_.optional_counts({"attn_type_list", "decoder_attention_types"})) {
      if (!right_length("attn_type_list", *kinds)) return;
      only_marks("attn_type_list", *kinds);
      return each([&](std::size_t i) { return (*kinds)[i] == 0 ? lightning : full; });
    }
    if (const auto sliding_layers = text_.optional_counts({"hybrid_layer_pattern"})) {
      if (!right_length("hybrid_layer_pattern", *sliding_layers)) return;
      only_marks("hybrid_layer_pattern", *sliding_layers);
      return each([&](std::size_t i) { return (*sliding_layers)[i] == 1 ? sliding : full; });
    }
    if (const auto kimi = text_.child("linear_attn_config")) return plan_kimi(*kimi);
    if (const auto interval = text_.optional_count({"full_attention_interval"});
        interval && text_.has("linear_key_head_dim")) {
      return every(*interval, "full_attention_interval", linear_kind());
    }
    if (const auto attention = text_.optional_counts({"attn_layer_indices"}); attention && text_.has("mamba_d_state")) {
      if (!right_numbers("attn_layer_indices", *attention)) return;
      return each([&](std::size_t i) { return contains(*attention, i) ? full : mamba; });
    }
    if (const auto attention = text_.optional_counts({"full_attn_idxs"})) {
      if (!right_numbers("full_attn_idxs", *attention)) return;
      return each([&](std::size_t i) { return contains(*attention, i) ? full : convolution; });
    }
    if (const auto crossing = text_.optional_counts({"cross_attention_layers"})) {
      if (!right_numbers("cross_attention_layers", *crossing)) return;
      return each([&](std::size_t i) { return contains(*crossing, i) ? cross : full; });
    }
    if (family_.type == "llama4_text") return plan_chunks();
    plan_windows();
  }

  static bool contains(const std::vector<double>& list, std::size_t index) {
    return std::find(list.begin(), list.end(), static_cast<double>(index)) != list.end();
  }

  /// Every n-th layer sees everything, the others are `otherwise`.
  void every(double interval, std::string_view key, LayerKind otherwise) {
    if (interval < 1) return text_.complain(key, "must be at least 1", "every n-th layer is a full one");
    each([&](std::size_t i) { return std::fmod(static_cast<double>(i) + 1, interval) == 0 ? full : otherwise; });
  }

  /// Llama 4: layers without rotary positions see everything, the others their chunk.
  void plan_chunks() {
    const auto rotary = text_.optional_counts({"no_rope_layers"});
    const double interval = text_.count_or({"no_rope_layer_interval"}, 4, false);
    if (!rotary || rotary->empty()) return every(interval, "no_rope_layer_interval", chunked);
    if (!right_length("no_rope_layers", *rotary)) return;
    only_marks("no_rope_layers", *rotary);
    each([&](std::size_t i) { return (*rotary)[i] == 0 ? full : chunked; });
  }

  void plan_windows() {
    const bool has_window = text_.has_any({"sliding_window", "sliding_window_size", "sliding_window_attention_size"}) ||
                            class_default(family_.type, "sliding_window");
    const bool switched_on = text_.flag_or({"use_sliding_window"}, !family_.window_off);
    if (const auto words = text_.optional_texts({"global_local_attention_pattern"}); words && !words->empty()) {
      const WordPlace place{"global_local_attention_pattern", "layer_type"};
      return each([&](std::size_t i) { return plan_named(place, (*words)[i % words->size()], false).mixer; });
    }
    if (!has_window || !switched_on) {
      text_.settle({"sliding_window", "sliding_window_size", "sliding_window_attention_size"});
      return all(full);
    }
    if (const JsonValue* pattern = text_.value({"sliding_window_pattern"});
        pattern != nullptr && pattern->text() != nullptr) {
      const std::string& letters = *pattern->text();  // "LLLG"
      if (letters.empty()) return text_.complain("sliding_window_pattern", "is empty", "write e.g. LLLG");
      if (letters.find_first_not_of("LG") != std::string::npos) {
        return text_.complain("sliding_window_pattern",
                              fmt::format("\"{}\" has letters besides L and G", shortened(letters)),
                              "L for a window, G for the whole context");
      }
      return each([&](std::size_t i) { return letters[i % letters.size()] == 'G' ? full : sliding; });
    }
    if (const auto interval = text_.optional_count({"sliding_window_pattern", "_sliding_window_pattern"})) {
      return every(*interval, "sliding_window_pattern", sliding);
    }
    if (family_.window_every > 0) {
      text_.remark(fmt::format("every {:g}. layer sees the whole context, the others a window: the family's default",
                               family_.window_every));
      every(family_.window_every, "layer_types", sliding);
      if (family_.type.starts_with("gemma4")) plans_.layers.back().mixer = full;  // its class sees to that
      return;
    }
    const bool from_layer = text_.has("use_sliding_window") || family_.type == "dots1";
    if (const auto first = text_.optional_count({"max_window_layers"}); first && from_layer) {
      return each([&](std::size_t i) { return static_cast<double>(i) >= *first ? sliding : full; });
    }
    all(sliding);
  }

  /// Kimi Linear counts its layers from 1.
  void plan_kimi(const ConfigNode& kimi) {
    const auto attention = kimi.optional_counts({"full_attn_layers"});
    const auto recurrent = kimi.optional_counts({"kda_layers"});
    if (!attention || !recurrent) {
      return kimi.complain("full_attn_layers", "full_attn_layers and kda_layers are expected", "check the file");
    }
    const std::string path = kimi.path() + ".";
    if (!right_numbers(path + "full_attn_layers", *attention, 1) || !right_numbers(path + "kda_layers", *recurrent, 1))
      return;
    each([&](std::size_t i) {
      if (contains(*attention, i + 1) && contains(*recurrent, i + 1))
        kimi.complain("kda_layers", fmt::format("layer {} is in both lists", i + 1), "every layer is in one of them");
      if (!contains(*attention, i + 1) && !contains(*recurrent, i + 1)) {
        kimi.complain("kda_layers", fmt::format("layer {} is in neither list", i + 1), "every layer is in one of them");
      }
      return contains(*attention, i + 1) ? full : kimi_delta;
    });
  }

  /// DeepSeek-V4: one ratio for each layer, then one for each prediction module.
  void plan_compressed(const std::vector<double>& ratios) {
    const auto modules = static_cast<std::size_t>(text_.count_or({"num_nextn_predict_layers"}, 0, false));
    if (!right_length("compress_ratios", ratios, std::min<std::size_t>(modules, 64))) return;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      const LayerPlan plan{.mixer = compressed, .experts = true, .ratio = ratios[i]};
      if (i < size())
        plans_.layers[i] = plan;
      else
        plans_.mtp.push_back(plan);
    }
  }

  /// nemotron-nas: every layer has its own attention and its own width, or none.
  void plan_blocks() {
    const std::vector<ConfigNode> blocks = text_.children("block_configs");
    if (!right_length("block_configs", blocks)) return;
    const double hidden = text_.count({"hidden_size"});
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      LayerPlan& plan = plans_.layers[i];
      if (const auto attention = blocks[i].child("attention")) {
        if (attention->flag_or({"no_op"}, false))
          plan.mixer = none;
        else if (attention->flag_or({"replace_with_linear"}, false))
          plan.mixer = linear;
        if (const auto group = attention->optional_count({"n_heads_in_group"}); group && *group > 0) {
          const double heads = text_.count({"num_attention_heads"});
          plan.kv_heads = std::floor(heads / *group);
          if (std::fmod(heads, *group) != 0)
            attention->complain("n_heads_in_group", fmt::format("{:g} does not divide {:g} heads", *group, heads),
                                "query heads share key/value heads in groups of this size");
        }
        if (const auto heads = attention->optional_count({"num_key_value_heads"})) plan.kv_heads = *heads;
        if (const auto window = attention->optional_count({"window_length"})) {
          plan.window = *window + attention->count_or({"num_sink_tokens"}, 0, false);
        }
      }
      if (const auto network = blocks[i].child("ffn")) {
        plan.feed_forward = !network->flag_or({"no_op"}, false);
        plan.linear_ffn = network->flag_or({"replace_with_linear"}, false);
        if (const auto width = network->optional_count({"intermediate_size"})) plan.ffn_size = *width;
        if (const auto factor = network->optional_number({"ffn_mult"}); factor && !plan.ffn_size) {
          if (!(*factor > 0 && *factor <= 1000))
            network->complain("ffn_mult", fmt::format("{:g} is no factor", *factor), "between 0 and 1,000");
          const double width = std::trunc(2 * *factor * hidden / 3);
          plan.ffn_size = std::ceil(width / 256) * 256;  // rounded up to a multiple of 256
        }
      }
    }
  }

  void plan_experts() {
    if (routed_experts(text_) <= 0) {
      settle_experts();
      return;
    }
    text_.settle({"moe_layer_freq", "decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval",
                  "moe_layers", "mlp_only_layers"});
    const auto dense = [this](std::size_t i) { plans_.layers[i].experts = false; };
    for (LayerPlan& plan : plans_.layers) plan.experts = plan.feed_forward;
    if (const auto first =
            text_.optional_count({"first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"})) {
      at_most_all(text_.spelled({"first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"}), *first);
      for (std::size_t i = 0; i < size() && static_cast<double>(i) < *first; ++i) dense(i);
    }
    if (const auto last = text_.optional_number({"moe_layer_end_index"}); last && *last >= 0) {
      for (std::size_t i = 0; i < size(); ++i) {
        if (static_cast<double>(i) > *last) dense(i);
      }
    }
    if (const auto only = text_.optional_counts({"mlp_only_layers"})) {
      right_numbers("mlp_only_layers", *only);
      for (std::size_t i = 0; i < size(); ++i) {
        if (contains(*only, i)) dense(i);
      }
    }
    if (const auto words = text_.optional_texts({"mlp_layer_types"})) {
      if (!right_length("mlp_layer_types", *words)) return;
      for (std::size_t i = 0; i < size(); ++i) {
        const std::string meant = wording_.words.meaning("mlp_type", (*words)[i]);
        plans_.layers[i].experts = meant == "moe";
        if (meant == "moe" || meant == "mlp") continue;
        return text_.complain("mlp_layer_types",
                              fmt::format("layer type \"{}\" is not supported", shortened((*words)[i])),
                              "dense or sparse is expected");
      }
      return;
    }
    if (const JsonValue* listed = text_.value({"moe_layer_freq"}); listed != nullptr && listed->array() != nullptr) {
      const auto flags = text_.optional_counts({"moe_layer_freq"});
      if (!flags || !right_length("moe_layer_freq", *flags)) return;
      only_marks("moe_layer_freq", *flags);
      for (std::size_t i = 0; i < size(); ++i) plans_.layers[i].experts = (*flags)[i] != 0;
    } else if (const auto step = text_.optional_count({"moe_layer_freq"}); step && *step > 1) {
      for (std::size_t i = 0; i < size(); ++i) {
        if (std::fmod(static_cast<double>(i), *step) != 0) dense(i);
      }
    }
    if (const auto chosen = text_.optional_counts({"moe_layers"}); chosen && !chosen->empty()) {
      right_numbers("moe_layers", *chosen);
      for (std::size_t i = 0; i < size(); ++i) plans_.layers[i].experts = contains(*chosen, i);
      return;
    }
    if (const auto step =
            text_.optional_count({"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval"});
        step && *step > 1) {
      for (std::size_t i = 0; i < size(); ++i) {
        if (std::fmod(static_cast<double>(i) + 1, *step) != 0) dense(i);
      }
    }
  }

  /// Where a list says what each layer is, sizes of kinds that are not in it say nothing: Granite 4 without Mamba layers.
  void settle_absent_kinds() {
    if (!text_.has_any({"layer_types", "layers_block_type", "hybrid_override_pattern", "full_attn_idxs"})) return;
    const auto has_kind = [&](LayerKind kind) {
      return std::any_of(plans_.layers.begin(), plans_.layers.end(),
                         [&](const LayerPlan& plan) { return plan.mixer == kind; });
    };
    if (!has_kind(convolution))
      text_.settle({"conv_L_cache", "conv_bias", "conv_dim", "conv_dim_out", "block_dim", "conv_use_xavier_init"});
    if (!has_kind(mamba))
      text_.settle({"mamba_num_heads", "mamba_n_heads", "mamba_head_dim", "mamba_d_head", "ssm_state_size",
                    "mamba_d_state", "n_groups", "mamba_n_groups", "conv_kernel", "mamba_d_conv", "mamba_expand",
                    "expand", "use_conv_bias", "mamba_conv_bias", "mamba_proj_bias"});
    if (!has_kind(delta))
      text_.settle({"linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim",
                    "linear_conv_kernel_dim"});
    if (!has_kind(sliding) && !has_kind(compressed))
      text_.settle({"sliding_window", "sliding_window_size", "sliding_window_attention_size"});
    if (!has_kind(chunked)) text_.settle({"attention_chunk_size"});
  }

  /// A file that says how many experts there are, none or one, needs no other key about them.
  void settle_experts() {
    if (!text_.has_any({"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts", "enable_moe_block"}))
      return;
    text_.settle({"num_experts_per_tok", "num_experts_per_token", "top_k_experts", "moe_topk", "moe_intermediate_size",
                  "expert_intermediate_size", "moe_layer_freq", "decoder_sparse_step", "interleave_moe_layer_step",
                  "n_shared_experts", "num_shared_experts", "shared_expert_intermediate_size", "n_group", "topk_group",
                  "first_k_dense_replace", "topk_method", "moe_layers", "mlp_only_layers"});
  }

  void plan_mtp() {
    const double said = text_.optional_count({"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"})
                            .value_or(family_.mtp_modules);
    if (family_.mtp_not_stored) {
      if (said > 0) {
        text_.remark(
            fmt::format("the file mentions {:g} multi-token-prediction modules; the released tensors hold none", said));
      }
      text_.settle({"use_mtp", "mtp_transformer_layers"});
      return;
    }
    if (said > 64) return text_.complain("num_nextn_predict_layers", fmt::format("{:g} modules", said), "at most 64");
    if (!plans_.mtp.empty()) return;
    const auto pattern = text_.optional_text({"mtp_hybrid_override_pattern"});
    const auto words = pattern ? std::optional(letters_of(*pattern)) : text_.optional_texts({"mtp_layers_block_type"});
    const WordPlace place = pattern ? WordPlace{"mtp_hybrid_override_pattern", "layer_letter"}
                                    : WordPlace{"mtp_layers_block_type", "layer_type"};
    for (double module = 0; module < said; ++module) {
      if (words) {
        for (const std::string_view word : *words) plans_.mtp.push_back(plan_named(place, word, true));
      } else if (family_.type == "mimo_v2_flash") {
        plans_.mtp.push_back({.mixer = sliding});
      } else {
        plans_.mtp.push_back(plans_.layers.back());
      }
    }
    if (said > 0 && family_.mtp_modules > 0) {
      text_.remark(
          fmt::format("{:g} multi-token-prediction modules, as released; the file does not mention them", said));
    }
  }

  const ConfigNode& text_;
  const Family& family_;
  Wording wording_;
  std::vector<std::string> refused_;
  bool blocks_alone_ = false;
  Plans plans_;
};

}  // namespace

std::optional<double> uniform_count(const ConfigNode& text, Names names) {
  const JsonValue* found = text.value(names);
  if (found == nullptr || found->array() == nullptr) return text.optional_count(names);
  const auto listed = text.optional_counts(names);
  if (!listed || listed->empty()) return {};
  const bool agree = std::count(listed->begin(), listed->end(), listed->front()) == std::ssize(*listed);
  if (!agree) text.complain(text.spelled(names), "differs from layer to layer", "only one number is supported");
  return listed->front();
}

double routed_experts(const ConfigNode& text) {
  if (!text.flag_or({"enable_moe_block"}, true)) return 0;
  const double count =
      uniform_count(text, {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"}).value_or(0);
  return count > 1 ? count : 0;  // one expert is a plain network
}

Plans plan_layers(const ConfigNode& text, const Family& family, const Wording& wording) {
  return Planner(text, family, wording).run();
}

}  // namespace ridge::catalog
