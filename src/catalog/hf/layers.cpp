#include "catalog/hf/layers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "catalog/hf/expert_layers.hpp"
#include "catalog/hf/layer_lists.hpp"

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

/// The forms of all layers, from whichever keys a family writes them in.
class LayerReader {
  using enum LayerKind;

 public:
  LayerReader(const ConfigNode& text, const Family& family, const Wording& wording)
      : text_(text), family_(family), wording_(wording) {}

  LayerForms run() {
    count_layers();
    if (forms_.layers.empty()) return forms_;
    read_mixers();
    // whichever of these decided, the others cannot say more: one list of layers is enough
    text_.settle({"layer_types", "full_attention_interval", "sliding_window_pattern", "_sliding_window_pattern",
                  "use_sliding_window", "max_window_layers", "hybrid_override_pattern", "layers_block_type",
                  "full_attn_idxs", "attn_layer_indices"});
    settle_absent_kinds();
    if (family_.type == "nemotron-nas" && !text_.has("block_configs") && !text_.has("num_key_value_heads_per_layer")) {
      text_.complain("block_configs", "is missing", "this family's layers differ, and only block_configs says how");
    }
    if (const auto heads = text_.optional_counts({"num_key_value_heads_per_layer"});
        heads && lists().right_length("num_key_value_heads_per_layer", *heads)) {
      for (std::size_t i = 0; i < size(); ++i) forms_.layers[i].kv_heads = (*heads)[i];
    }
    if (!blocks_alone_) mark_experts(text_, wording_, forms_.layers);
    read_mtp();
    return forms_;
  }

 private:
  std::size_t size() const { return forms_.layers.size(); }
  LayerLists lists() const { return {text_, size()}; }

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
    forms_.layers.resize(static_cast<std::size_t>(layers));
  }

  void all(LayerKind kind) {
    for (LayerForm& form : forms_.layers) form.mixer = kind;
  }
  template <class Rule>
  void each(Rule&& rule) {
    for (std::size_t i = 0; i < size(); ++i) forms_.layers[i].mixer = rule(i);
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
  LayerForm form_named(WordPlace place, std::string_view word, bool is_block) {
    const std::string_view key = place.key;
    const std::string meant = meaning(place.of, word);
    LayerForm form;
    if (meant == "moe" || meant == "mlp") {
      form.mixer = none;
      form.experts = meant == "moe";
      return form;
    }
    if (meant == "linear_attention") {
      form.mixer = linear_kind();
      if (form.mixer != none) return form;
    }
    for (const NamedKind& one : kKinds) {
      if (one.name != meant) continue;
      form.mixer = one.kind;
      form.feed_forward = !is_block;
      return form;
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
    return form;
  }

  void read_list(WordPlace place, const std::vector<std::string_view>& words) {
    if (!lists().right_length(place.key, words)) return;
    // a list with blocks of its own for feed-forward networks: every entry is one half of a layer
    blocks_alone_ = std::any_of(words.begin(), words.end(), [&](const auto& word) {
      const std::string meant = wording_.words.meaning(place.of, word);
      return meant == "moe" || meant == "mlp";
    });
    for (std::size_t i = 0; i < words.size(); ++i) forms_.layers[i] = form_named(place, words[i], blocks_alone_);
  }

  void read_mixers() {
    if (const auto pattern = text_.optional_text({"hybrid_override_pattern"})) {
      return read_list({"hybrid_override_pattern", "layer_letter"}, letters_of(*pattern));
    }
    if (const auto words = text_.optional_texts({"layers_block_type"}))
      return read_list({"layers_block_type", "layer_type"}, *words);
    if (text_.has("block_configs")) return read_blocks();
    if (const auto ratios = text_.optional_counts({"compress_ratios"})) return read_compressed(*ratios);
    if (const auto words = text_.optional_texts({"layer_types"}))
      return read_list({"layer_types", "layer_type"}, *words);
    if (const auto kinds = text_.optional_counts({"attn_type_list", "decoder_attention_types"})) {
      if (!lists().right_length("attn_type_list", *kinds)) return;
      lists().only_marks("attn_type_list", *kinds);
      return each([&](std::size_t i) { return (*kinds)[i] == 0 ? lightning : full; });
    }
    if (const auto sliding_layers = text_.optional_counts({"hybrid_layer_pattern"})) {
      if (!lists().right_length("hybrid_layer_pattern", *sliding_layers)) return;
      lists().only_marks("hybrid_layer_pattern", *sliding_layers);
      return each([&](std::size_t i) { return (*sliding_layers)[i] == 1 ? sliding : full; });
    }
    if (const auto kimi = text_.child("linear_attn_config")) return read_kimi(*kimi);
    if (const auto interval = text_.optional_count({"full_attention_interval"});
        interval && text_.has("linear_key_head_dim")) {
      return every(*interval, "full_attention_interval", linear_kind());
    }
    if (const auto attention = text_.optional_counts({"attn_layer_indices"}); attention && text_.has("mamba_d_state")) {
      if (!lists().right_numbers("attn_layer_indices", *attention)) return;
      return each([&](std::size_t i) { return LayerLists::contains(*attention, i) ? full : mamba; });
    }
    if (const auto attention = text_.optional_counts({"full_attn_idxs"})) {
      if (!lists().right_numbers("full_attn_idxs", *attention)) return;
      return each([&](std::size_t i) { return LayerLists::contains(*attention, i) ? full : convolution; });
    }
    if (const auto crossing = text_.optional_counts({"cross_attention_layers"})) {
      if (!lists().right_numbers("cross_attention_layers", *crossing)) return;
      return each([&](std::size_t i) { return LayerLists::contains(*crossing, i) ? cross : full; });
    }
    if (family_.type == "llama4_text") return read_chunks();
    read_windows();
  }

  /// Every n-th layer sees everything, the others are `otherwise`.
  void every(double interval, std::string_view key, LayerKind otherwise) {
    if (interval < 1) return text_.complain(key, "must be at least 1", "every n-th layer is a full one");
    each([&](std::size_t i) { return std::fmod(static_cast<double>(i) + 1, interval) == 0 ? full : otherwise; });
  }

  /// Llama 4: layers without rotary positions see everything, the others their chunk.
  void read_chunks() {
    const auto rotary = text_.optional_counts({"no_rope_layers"});
    const double interval = text_.count_or({"no_rope_layer_interval"}, 4, false);
    if (!rotary || rotary->empty()) return every(interval, "no_rope_layer_interval", chunked);
    if (!lists().right_length("no_rope_layers", *rotary)) return;
    lists().only_marks("no_rope_layers", *rotary);
    each([&](std::size_t i) { return (*rotary)[i] == 0 ? full : chunked; });
  }

  void read_windows() {
    const bool has_window = text_.has_any({"sliding_window", "sliding_window_size", "sliding_window_attention_size"}) ||
                            class_default(family_.type, "sliding_window");
    const bool switched_on = text_.flag_or({"use_sliding_window"}, !family_.window_off);
    if (const auto words = text_.optional_texts({"global_local_attention_pattern"}); words && !words->empty()) {
      const WordPlace place{"global_local_attention_pattern", "layer_type"};
      return each([&](std::size_t i) { return form_named(place, (*words)[i % words->size()], false).mixer; });
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
      if (family_.type.starts_with("gemma4")) forms_.layers.back().mixer = full;  // its class sees to that
      return;
    }
    const bool from_layer = text_.has("use_sliding_window") || family_.type == "dots1";
    if (const auto first = text_.optional_count({"max_window_layers"}); first && from_layer) {
      return each([&](std::size_t i) { return static_cast<double>(i) >= *first ? sliding : full; });
    }
    all(sliding);
  }

  /// Kimi Linear counts its layers from 1.
  void read_kimi(const ConfigNode& kimi) {
    const auto attention = kimi.optional_counts({"full_attn_layers"});
    const auto recurrent = kimi.optional_counts({"kda_layers"});
    if (!attention || !recurrent) {
      return kimi.complain("full_attn_layers", "full_attn_layers and kda_layers are expected", "check the file");
    }
    const std::string path = kimi.path() + ".";
    if (!lists().right_numbers(path + "full_attn_layers", *attention, 1) ||
        !lists().right_numbers(path + "kda_layers", *recurrent, 1))
      return;
    each([&](std::size_t i) {
      if (LayerLists::contains(*attention, i + 1) && LayerLists::contains(*recurrent, i + 1))
        kimi.complain("kda_layers", fmt::format("layer {} is in both lists", i + 1), "every layer is in one of them");
      if (!LayerLists::contains(*attention, i + 1) && !LayerLists::contains(*recurrent, i + 1)) {
        kimi.complain("kda_layers", fmt::format("layer {} is in neither list", i + 1), "every layer is in one of them");
      }
      return LayerLists::contains(*attention, i + 1) ? full : kimi_delta;
    });
  }

  /// DeepSeek-V4: one ratio for each layer, then one for each prediction module.
  void read_compressed(const std::vector<double>& ratios) {
    const auto modules = static_cast<std::size_t>(text_.count_or({"num_nextn_predict_layers"}, 0, false));
    if (!lists().right_length("compress_ratios", ratios, std::min<std::size_t>(modules, 64))) return;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      const LayerForm form{.mixer = compressed, .experts = true, .ratio = ratios[i]};
      if (i < size())
        forms_.layers[i] = form;
      else
        forms_.mtp.push_back(form);
    }
  }

  /// nemotron-nas: every layer has its own attention and its own width, or none.
  void read_blocks() {
    const std::vector<ConfigNode> blocks = text_.children("block_configs");
    if (!lists().right_length("block_configs", blocks)) return;
    const double hidden = text_.count({"hidden_size"});
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      LayerForm& form = forms_.layers[i];
      if (const auto attention = blocks[i].child("attention")) {
        if (attention->flag_or({"no_op"}, false))
          form.mixer = none;
        else if (attention->flag_or({"replace_with_linear"}, false))
          form.mixer = linear;
        if (const auto group = attention->optional_count({"n_heads_in_group"}); group && *group > 0) {
          const double heads = text_.count({"num_attention_heads"});
          form.kv_heads = std::floor(heads / *group);
          if (std::fmod(heads, *group) != 0)
            attention->complain("n_heads_in_group", fmt::format("{:g} does not divide {:g} heads", *group, heads),
                                "query heads share key/value heads in groups of this size");
        }
        if (const auto heads = attention->optional_count({"num_key_value_heads"})) form.kv_heads = *heads;
        if (const auto window = attention->optional_count({"window_length"})) {
          form.window = *window + attention->count_or({"num_sink_tokens"}, 0, false);
        }
      }
      if (const auto network = blocks[i].child("ffn")) {
        form.feed_forward = !network->flag_or({"no_op"}, false);
        form.linear_ffn = network->flag_or({"replace_with_linear"}, false);
        if (const auto width = network->optional_count({"intermediate_size"})) form.ffn_size = *width;
        if (const auto factor = network->optional_number({"ffn_mult"}); factor && !form.ffn_size) {
          if (!(*factor > 0 && *factor <= 1000))
            network->complain("ffn_mult", fmt::format("{:g} is no factor", *factor), "between 0 and 1,000");
          const double width = std::trunc(2 * *factor * hidden / 3);
          form.ffn_size = std::ceil(width / 256) * 256;  // rounded up to a multiple of 256
        }
      }
    }
  }

  /// Where a list says what each layer is, sizes of kinds that are not in it say nothing: Granite 4 without Mamba layers.
  void settle_absent_kinds() {
    if (!text_.has_any({"layer_types", "layers_block_type", "hybrid_override_pattern", "full_attn_idxs"})) return;
    const auto has_kind = [&](LayerKind kind) {
      return std::any_of(forms_.layers.begin(), forms_.layers.end(),
                         [&](const LayerForm& form) { return form.mixer == kind; });
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

  void read_mtp() {
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
    if (!forms_.mtp.empty()) return;
    const auto pattern = text_.optional_text({"mtp_hybrid_override_pattern"});
    const auto words = pattern ? std::optional(letters_of(*pattern)) : text_.optional_texts({"mtp_layers_block_type"});
    const WordPlace place = pattern ? WordPlace{"mtp_hybrid_override_pattern", "layer_letter"}
                                    : WordPlace{"mtp_layers_block_type", "layer_type"};
    for (double module = 0; module < said; ++module) {
      if (words) {
        for (const std::string_view word : *words) forms_.mtp.push_back(form_named(place, word, true));
      } else if (family_.type == "mimo_v2_flash") {
        forms_.mtp.push_back({.mixer = sliding});
      } else {
        forms_.mtp.push_back(forms_.layers.back());
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
  LayerForms forms_;
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

LayerForms read_layers(const ConfigNode& text, const Family& family, const Wording& wording) {
  return LayerReader(text, family, wording).run();
}

}  // namespace ridge::catalog
