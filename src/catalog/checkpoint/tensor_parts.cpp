#include "catalog/checkpoint/tensor_parts.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

using Words = std::span<const std::string_view>;

bool is_one_of(std::string_view word, Words words) { return std::ranges::find(words, word) != words.end(); }

bool is_index(std::string_view word) {
  return !word.empty() && word.size() <= 9 && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The components of a dotted name. No real one has more than a dozen; what is deeper is cut.
class NamePath {
 public:
  explicit NamePath(std::string_view name) {
    while (size_ < components_.size()) {
      const std::size_t dot = name.find('.');
      components_[size_++] = name.substr(0, dot);
      if (dot == std::string_view::npos) break;
      name.remove_prefix(dot + 1);
    }
  }

  std::span<const std::string_view> all() const { return {components_.data(), size_}; }
  bool has(Words words) const {
    return any([&](std::string_view one) { return is_one_of(one, words); });
  }
  template <class Test>
  bool any(Test&& test) const {
    return std::ranges::any_of(all(), test);
  }
  /// The component after the first that is `word`; empty where there is none.
  std::string_view after(std::string_view word) const {
    const auto found = std::ranges::find(all(), word);
    return found == all().end() || found + 1 == all().end() ? std::string_view() : *(found + 1);
  }

  std::optional<double> layer() const {
    constexpr std::string_view kLists[] = {"layers", "h", "blocks", "layer", "blk"};
    for (std::size_t i = 0; i + 1 < size_; ++i) {
      if (!is_one_of(components_[i], kLists) || !is_index(components_[i + 1])) continue;
      double index = 0;
      for (const char digit : components_[i + 1]) index = index * 10 + (digit - '0');
      return index;
    }
    return {};
  }

 private:
  std::array<std::string_view, 32> components_;
  std::size_t size_ = 0;
};

constexpr std::string_view kAudio[] = {"talker", "token2wav", "code2wav", "conformer"};
constexpr std::string_view kVision[] = {
    "multi_modal_projector", "mm_projector", "patch_merger", "patch_embed", "vit", "vpm", "resampler", "sam_model"};
constexpr std::string_view kVisionOutsideLayers[] = {"connector", "aligner", "projector", "mlp1"};
constexpr std::string_view kMtp[] = {"enorm", "hnorm", "eh_proj", "shared_head"};
constexpr std::string_view kEmbedding[] = {
    "embed_tokens",    "embed_tokens_per_layer", "wte",      "wpe", "word_embeddings", "tok_embeddings",
    "embed_positions", "position_embeddings",    "embed_in", "emb", "token_embd",      "per_layer_token_embd"};
constexpr std::string_view kEmbeddingOutsideLayers[] = {"embed", "embedding", "embeddings"};
constexpr std::string_view kHead[] = {"lm_head", "embed_out", "output_layer"};
constexpr std::string_view kHeadOutsideLayers[] = {"head", "output"};
constexpr std::string_view kOther[] = {"layer_scalar", "project_in", "project_out"};
constexpr std::string_view kRouter[] = {"router", "e_score_correction_bias", "expert_bias", "router_bias", "tid2eid"};
constexpr std::string_view kShared[] = {"shared_mlp", "share_expert", "fc1_latent_proj", "fc2_latent_proj"};
constexpr std::string_view kRouted[] = {"experts", "switch_mlp"};
constexpr std::string_view kMoe[] = {"block_sparse_moe", "moe"};
constexpr std::string_view kAttention[] = {
    "self_attn",       "attn",       "attention",  "self_attention",  "linear_attn",    "linear_attention", "mixer",
    "cross_attn",      "mamba",      "conv",       "cross_attention", "crossattention", "encoder_attn",     "att",
    "inter_attention", "short_conv", "compressor", "indexer",         "temporal_block", "SelfAttention"};
constexpr std::string_view kNetwork[] = {"gate_proj", "up_proj", "down_proj", "gate_up_proj"};
constexpr std::string_view kDense[] = {"mlp", "mlps", "ffn", "feed_forward", "feedforward",   "residual_mlp",
                                       "fc1", "fc2",  "ff",  "mlp_block",    "DenseReluDense"};

bool is_norm(std::string_view word) {
  return contains(word, "norm") || contains(word, "Norm") || word.starts_with("ln_") || word.ends_with("_ln") ||
         word == "ln" || word == "ln1" || word == "ln2";
}

/// A module of a GGUF block: "attn_q", "ffn_down_exps".
std::optional<Part> part_of_gguf_module(std::string_view module) {
  constexpr std::string_view kLayerNorms[] = {"attn_norm", "attn_norm_2", "attn_post_norm", "attn_output_norm"};
  if (contains(module, "shexp")) return Part::shared_experts;
  if (module.starts_with("ffn_gate_inp") || module.starts_with("exp_probs")) return Part::router;
  if (contains(module, "_exps")) return Part::routed_experts;
  if (is_one_of(module, kLayerNorms)) return Part::norms;
  for (const std::string_view start : {"attn_", "ssm_", "shortconv", "indexer"}) {
    if (module.starts_with(start)) return Part::attention;
  }
  if (is_norm(module)) return Part::norms;
  if (module.starts_with("ffn_")) return Part::dense_ffn;
  return {};
}

bool is_residual_mixing(std::string_view word) {
  return word.starts_with("hc_") || word.ends_with("_hc") || word.starts_with("altup") || word.starts_with("laurel") ||
         contains(word, "per_layer");
}

std::optional<Part> part_of_modality(const NamePath& path, bool in_layer) {
  const auto sounds = [](std::string_view word) { return contains(word, "audio") || contains(word, "speech"); };
  const auto shows = [](std::string_view word) {
    return contains(word, "vision") || contains(word, "visual") || contains(word, "image");
  };
  if (path.any(sounds) || path.has(kAudio)) return Part::audio;
  if (path.any(shows) || path.has(kVision)) return Part::vision;
  if (!in_layer && path.has(kVisionOutsideLayers)) return Part::vision;
  const std::string_view gguf_tower = path.all().front();
  if (gguf_tower == "a") return Part::audio;
  if (gguf_tower == "v" || gguf_tower == "mm") return Part::vision;
  return {};
}

std::optional<Part> part_of_experts(const NamePath& path) {
  if (path.has(kRouter)) return Part::router;
  if (path.has(kShared) || path.any([](std::string_view word) { return word.starts_with("shared_expert"); })) {
    return Part::shared_experts;
  }
  if (path.has(kRouted)) return Part::routed_experts;
  const bool routes = path.any([](std::string_view word) { return word == "gate"; });
  if (routes && (!path.has(kAttention) || path.after("mixer") == "gate")) return Part::router;
  if (path.has(kMoe)) return Part::routed_experts;
  return {};
}

std::optional<Part> part_in_main_layers(const NamePath& path, bool in_layer) {
  if (path.has(kEmbedding) || (!in_layer && path.has(kEmbeddingOutsideLayers))) return Part::embedding;
  if (path.has(kHead) || (!in_layer && path.has(kHeadOutsideLayers))) return Part::head;
  if (path.any(is_residual_mixing) || path.has(kOther)) return Part::other;
  if (path.all().front() == "blk") return path.all().size() > 2 ? part_of_gguf_module(path.all()[2]) : std::nullopt;
  if (const std::optional<Part> experts = part_of_experts(path)) return experts;
  if (is_one_of(path.after("mixer"), kNetwork)) return Part::dense_ffn;
  if (path.has(kAttention) || path.any([](std::string_view word) { return word.starts_with("cross_attn_"); })) {
    return Part::attention;
  }
  if (path.has(kDense) || path.has(kNetwork)) return Part::dense_ffn;
  if (path.any(is_norm)) return Part::norms;
  return {};
}

std::optional<Part> known_part(std::string_view name, double main_layers) {
  const NamePath path(name);
  const std::optional<double> layer = path.layer();
  if (const std::optional<Part> modality = part_of_modality(path, layer.has_value())) return modality;
  const auto predicts = [](std::string_view word) { return word.starts_with("mtp") || word.starts_with("nextn"); };
  if (path.any(predicts) || path.has(kMtp)) return Part::mtp;
  if (main_layers > 0 && layer && *layer >= main_layers) return Part::mtp;
  return part_in_main_layers(path, layer.has_value());
}

/// "a.b.weight" is the leaf "weight" of the module "a.b".
struct SplitName {
  std::string_view module, leaf;
};

SplitName module_and_leaf(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

bool is_byte(const TensorInfo& tensor) { return tensor.type == "U8" || tensor.type == "I8"; }
bool is_word(const TensorInfo& tensor) { return tensor.type == "I32" || tensor.type == "U32"; }
bool is_narrow(const TensorInfo& tensor) {
  return is_byte(tensor) || is_word(tensor) || tensor.type.starts_with("F8") || tensor.type.starts_with("F4");
}
double last_size(const TensorInfo& tensor) { return tensor.shape.empty() ? 1 : tensor.shape.back(); }
double first_size(const TensorInfo& tensor) { return tensor.shape.empty() ? 1 : tensor.shape.front(); }

constexpr std::string_view kSideLeaves[] = {"weight_scale",
                                            "weight_scale_inv",
                                            "weight_scale_2",
                                            "weight_global_scale",
                                            "input_global_scale",
                                            "input_scale",
                                            "input_scale_ub",
                                            "output_scale",
                                            "pre_quant_scale",
                                            "weight_zero_point",
                                            "weight_shape",
                                            "weight_g_idx",
                                            "g_idx",
                                            "qzeros",
                                            "scales",
                                            "k_scale",
                                            "v_scale",
                                            "q_scale",
                                            "prob_scale",
                                            "kv_scale",
                                            "absmax",
                                            "quant_map",
                                            "nested_absmax",
                                            "nested_quant_map",
                                            "SCB",
                                            "weight_format",
                                            "input_zero_point",
                                            "activation_scale"};
constexpr std::string_view kSideEndings[] = {"_weight_scale", "_weight_scale_2", "_weight_scale_inv", "_scale_inv",
                                             "_input_scale"};
constexpr std::string_view kBuffers[] = {
    "inv_freq",   "original_inv_freq", "masked_bias", "position_ids", "cos_cached", "sin_cached",         "freqs_cis",
    "rope_freqs", "input_min",         "input_max",   "output_min",   "output_max", "num_batches_tracked"};

bool is_buffer(const TensorInfo& tensor) {
  const auto [module, leaf] = module_and_leaf(tensor.name);
  if (is_one_of(leaf, kBuffers) || tensor.name == "rope_freqs.weight") return true;
  const bool mask = leaf == "bias" && (module.ends_with("attn") || module.ends_with("attention"));
  return mask && tensor.shape.size() >= 3;
}

/// Finds what lies beside a tensor, and from that what its stored elements mean.
class Siblings {
 public:
  Siblings(const TensorTable& table, double packed_bits) : packed_bits_(packed_bits) {
    by_name_.reserve(table.tensors.size());
    for (const TensorInfo& tensor : table.tensors) by_name_.emplace(tensor.name, &tensor);
  }

  bool is_side(const TensorInfo& tensor) const {
    const auto [module, leaf] = module_and_leaf(tensor.name);
    if (is_one_of(leaf, kSideLeaves) || contains(tensor.name, ".quant_state.")) return true;
    for (const std::string_view ending : kSideEndings) {
      if (leaf.ends_with(ending)) return true;
    }
    if (leaf == "scale") return is_narrow_one(find(module, "weight"));
    if (leaf == "biases") return find(module, "scales") != nullptr && is_narrow_one(find(module, "weight"));
    for (const std::string_view ending : {"_scales", "_scale", "_zeros"}) {
      if (!leaf.ends_with(ending)) continue;
      const std::string stem(leaf.substr(0, leaf.size() - ending.size()));
      return is_narrow_one(find(module, stem)) || find(module, stem + "_blocks") != nullptr;
    }
    return false;
  }

  struct Meaning {
    double per_element = 1;    // logical values in one stored element
    bool guessed = false;      // neither the shapes nor the config told
    bool unexplained = false;  // whole numbers that no rule here makes parameters of
  };

  Meaning meaning_of(const TensorInfo& tensor) const {
    if (is_byte(tensor)) return meaning_of_bytes(tensor);
    if (is_word(tensor)) return meaning_of_words(tensor);
    const bool whole = tensor.type.starts_with('I') || tensor.type.starts_with('U');
    return {.unexplained = whole && !tensor.name.ends_with("tid2eid") && !tensor.type.starts_with("IQ")};
  }

 private:
  static bool is_narrow_one(const TensorInfo* tensor) { return tensor != nullptr && is_narrow(*tensor); }

  const TensorInfo* find(std::string_view module, std::string_view leaf) const {
    std::string name(module);
    if (!name.empty()) name += '.';
    name += leaf;
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  const TensorInfo* scale_of(std::string_view module, std::string_view leaf) const {
    const std::string stem(leaf);
    for (const std::string& name : {std::string("weight_scale"), std::string("scale"), stem + "_weight_scale",
                                    stem + "_scale", stem + "_scales"}) {
      if (const TensorInfo* scale = find(module, name)) return scale;
    }
    return nullptr;
  }

  Meaning meaning_of_bytes(const TensorInfo& tensor) const {
    const auto [module, leaf] = module_and_leaf(tensor.name);
    if (leaf.ends_with("_blocks") || leaf.ends_with("_packed")) return {.per_element = 2};
    if (find(tensor.name, "absmax") != nullptr) return {.per_element = 2};
    const TensorInfo* scale = scale_of(module, leaf);
    if (scale == nullptr) return {.unexplained = find(module, "SCB") == nullptr};
    const double group = 2 * tensor.elements / scale->elements;
    const bool small_group = group == 16 || group == 32;
    const bool narrow_scale = scale->type.starts_with("F8") || scale->type == "U8";
    const double rows = tensor.elements / last_size(tensor);
    const bool finer_than_row = scale->elements > rows;
    const bool packed = tensor.type == "U8" ? small_group || finer_than_row : small_group && narrow_scale;
    return {.per_element = packed ? 2.0 : 1.0};
  }

  Meaning meaning_of_words(const TensorInfo& tensor) const {
    const auto [module, leaf] = module_and_leaf(tensor.name);
    std::optional<double> told, likely;
    if (leaf == "qweight") {
      told = bits_of_qweight(tensor, module);
    } else if (leaf == "weight_packed") {
      told = bits_of_weight_packed(tensor, module);
      likely = likely_bits(tensor, find(module, "weight_scale"));
    } else if (const TensorInfo* scales = find(module, "scales"); leaf == "weight" && scales != nullptr) {
      likely = likely_mlx_bits(tensor, *scales);
    } else {
      return {.unexplained = leaf != "tid2eid"};
    }
    if (!told) told = width(packed_bits_);
    return {.per_element = 32 / told.value_or(likely.value_or(4)), .guessed = !told};
  }

  /// Both layouts keep a packed zero point for each scale; GPTQ's g_idx has one entry for each input.
  std::optional<double> bits_of_qweight(const TensorInfo& tensor, std::string_view module) const {
    const TensorInfo *zeros = find(module, "qzeros"), *scales = find(module, "scales"), *order = find(module, "g_idx");
    if (zeros != nullptr && scales != nullptr) {
      if (const auto bits = width(32 * last_size(*zeros) / last_size(*scales))) return bits;
    }
    return order == nullptr ? std::nullopt : width(32 * first_size(tensor) / order->elements);
  }

  std::optional<double> bits_of_weight_packed(const TensorInfo& tensor, std::string_view module) const {
    const TensorInfo *zeros = find(module, "weight_zero_point"), *scale = find(module, "weight_scale"),
                     *order = find(module, "weight_g_idx");
    if (zeros != nullptr && scale != nullptr && is_word(*zeros)) {
      if (const auto bits = width(32 * first_size(*zeros) / first_size(*scale))) return bits;
    }
    return order == nullptr ? std::nullopt : width(32 * last_size(tensor) / order->elements);
  }

  /// The bits of a group tell group times width only. Four bits in groups of 16, 32, 64 and 128 are what people store;
  /// 1024 bits are eight in groups of 128.
  static std::optional<double> likely_bits(const TensorInfo& tensor, const TensorInfo* scale) {
    if (scale == nullptr || last_size(*scale) == 1) return {};
    return 32 * last_size(tensor) / last_size(*scale) == 1024 ? 8.0 : 4.0;
  }

  /// MLX groups 64 values unless told otherwise; its 8-bit float formats group 32, or 16 at four bits.
  static std::optional<double> likely_mlx_bits(const TensorInfo& tensor, const TensorInfo& scales) {
    const double group_bits = 32 * last_size(tensor) / last_size(scales);
    if (is_byte(scales)) return group_bits == 64 ? 4.0 : width(group_bits / 32);
    const std::optional<double> bits = width(group_bits / 64);
    return bits && *bits != 2 ? bits : width(group_bits / 32);
  }

  static std::optional<double> width(double bits) {
    constexpr double kWidths[] = {2, 3, 4, 5, 6, 8};
    return std::ranges::find(kWidths, bits) == std::end(kWidths) ? std::nullopt : std::optional(bits);
  }

  std::unordered_map<std::string_view, const TensorInfo*> by_name_;
  double packed_bits_ = 0;
};

}  // namespace

Part part_of_tensor(std::string_view name) { return part_of_tensor(name, 0); }

Part part_of_tensor(std::string_view name, double main_layers) {
  return known_part(name, main_layers).value_or(Part::other);
}

CountedTensors count_tensors(const TensorTable& table, double main_layers, double packed_bits) {
  CountedTensors counted;
  const Siblings siblings(table, packed_bits);
  for (const TensorInfo& tensor : table.tensors) {
    if (is_buffer(tensor)) {
      counted.buffers.push_back(tensor.name);
      continue;
    }
    const std::optional<Part> known = known_part(tensor.name, main_layers);
    const auto part = static_cast<std::size_t>(known.value_or(Part::other));
    counted.bytes[part] += tensor.bytes;
    counted.bytes_by_type[part][tensor.type] += tensor.bytes;
    Siblings::Meaning meaning;
    if (siblings.is_side(tensor)) {
      counted.scale_bytes += tensor.bytes;
    } else {
      meaning = siblings.meaning_of(tensor);
      counted.params[part] += tensor.elements * meaning.per_element;
      counted.guessed_bits += meaning.guessed ? 1 : 0;
    }
    if (!known || meaning.unexplained) counted.unknown.push_back(tensor.name);
  }
  return counted;
}

}  // namespace ridge::catalog
