#include "catalog/hf/towers.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

/// A tower's own object, the whole config around it, and the width it is projected into.
struct Site {
  const ConfigNode& own;
  const ConfigNode& root;
  double hidden;
};

/// Nothing where the config asks for a variant whose tensors are not known here.
using Count = std::optional<double>;

constexpr double linear(double in, double out) { return in * out; }
constexpr double biased(double in, double out) { return in * out + out; }
constexpr double rms_norm(double width) { return width; }
constexpr double layer_norm(double width) { return 2 * width; }
constexpr double gated(double width, double inner) { return 3 * width * inner; }  // gate, up, down

/// q, k, v, o (or a fused qkv), two matrices of the MLP and two LayerNorms, all with biases.
constexpr double plain_block(double width, double inner) {
  return 4 * biased(width, width) + biased(width, inner) + biased(inner, width) + 2 * layer_norm(width);
}

double size_or(const ConfigNode& node, Names names, double otherwise) {
  const double size = node.count_or(names, otherwise);
  if (size > 0) return size;
  node.complain(*names.begin(), "0 where a size is expected", "check the file: a tower has no part of size 0");
  return otherwise;
}

struct Sides {
  double height, width;
  double area() const { return height * width; }
};

/// One number for a square, or [height, width].
Sides sides_or(const ConfigNode& node, std::string_view key, double otherwise) {
  const JsonValue* value = node.value({key});
  if (value == nullptr || value->array() == nullptr) {
    const double side = size_or(node, {key}, otherwise);
    return {side, side};
  }
  const auto sides = node.optional_counts({key});
  if (sides && sides->size() == 2 && (*sides)[0] > 0 && (*sides)[1] > 0) return {(*sides)[0], (*sides)[1]};
  if (sides) node.complain(key, "a list that is not two sizes", "write one number, or two from 1 up");
  return {otherwise, otherwise};
}

double patches(const Sides& image, const Sides& patch) {
  return std::floor(image.height / patch.height) * std::floor(image.width / patch.width);
}

bool flag_or(const ConfigNode& node, std::string_view key, bool otherwise) {
  return node.flag_or({key}, otherwise, true);
}

void say_default(const ConfigNode& node, std::string_view key, std::string_view otherwise) {
  const std::string path = node.path().empty() ? std::string(key) : fmt::format("{}.{}", node.path(), key);
  node.remark(fmt::format("{} is not in the file: {} by default", path, otherwise));
}

struct Between {
  double least, most;
};

double number_or(const ConfigNode& node, std::string_view key, Between range, double otherwise) {
  if (!node.has(key)) say_default(node, key, fmt::format("{}", otherwise));
  const double number = node.optional_number({key}).value_or(otherwise);
  if (number >= range.least && number <= range.most) return number;
  node.complain(key, fmt::format("{:g} is not from {:g} to {:g}", number, range.least, range.most), "check the file");
  return otherwise;
}

double length_or(const ConfigNode& node, std::string_view key, double otherwise) {
  const JsonValue* value = node.value({key});
  if (value != nullptr && value->array() != nullptr) return static_cast<double>(value->array()->size());
  if (value == nullptr) {
    say_default(node, key, fmt::format("{} of them", otherwise));
  } else {
    node.complain(key, fmt::format("{} where a list is expected", kind_of(*value)), "check the file");
  }
  return otherwise;
}

// Projectors of the families that take a tower of another family.

double gemma3_projector(const Site& at, double width) { return linear(width, at.hidden) + rms_norm(width); }

/// A projector reads one layer of the tower, or a list of them side by side.
double features(const Site& at, double width) {
  const JsonValue* layer = at.root.value({"vision_feature_layer"});
  const JsonArray* layers = layer == nullptr ? nullptr : layer->array();
  return layers == nullptr ? width : width * static_cast<double>(layers->size());
}

double llava_projector(const Site& at, double width) {
  const auto matrix = flag_or(at.root, "multimodal_projector_bias", true) ? biased : linear;
  return matrix(features(at, width), at.hidden) + matrix(at.hidden, at.hidden);
}

double mistral3_projector(const Site& at, double width) {
  const double merge = size_or(at.root, {"spatial_merge_size"}, 2);
  const double merger = rms_norm(width) + linear(width * merge * merge, width);
  const auto matrix = flag_or(at.root, "multimodal_projector_bias", false) ? biased : linear;
  return merger + matrix(features(at, width), at.hidden) + matrix(at.hidden, at.hidden);
}

Count with_projector(const Site& at, double tower, double width) {
  const std::string family = at.root.optional_text({"model_type"}).value_or("");
  if (family == "gemma3") return tower + gemma3_projector(at, width);
  if (family == "llava") return tower + llava_projector(at, width);
  if (family == "mistral3") return tower + mistral3_projector(at, width);
  at.root.remark(fmt::format("the vision projector of \"{}\" is not known here", shortened(family)));
  return {};
}

// Towers. Defaults are those of the configuration classes in huggingface/transformers; linears without a bias are
// `linear`, with one `biased`; a convolution over patches is a linear from its pixels.

/// patch_embedding, position_embedding, layers, post_layernorm.
double siglip_encoder(const ConfigNode& own, double width, double inner, double patch_otherwise) {
  const Sides image = sides_or(own, "image_size", 224), patch = sides_or(own, "patch_size", patch_otherwise);
  const double pixels = size_or(own, {"num_channels"}, 3) * patch.area();
  const double blocks = size_or(own, {"num_hidden_layers"}, 12) * plain_block(width, inner);
  return biased(pixels, width) + patches(image, patch) * width + blocks + layer_norm(width);
}

Count siglip(const Site& at) {
  const double width = size_or(at.own, {"hidden_size"}, 768), inner = size_or(at.own, {"intermediate_size"}, 3072);
  double tower = siglip_encoder(at.own, width, inner, 16);
  if (flag_or(at.own, "vision_use_head", true)) {
    const double probe = width, attention = biased(width, 3 * width) + biased(width, width);
    tower += probe + attention + layer_norm(width) + biased(width, inner) + biased(inner, width);
  }
  return with_projector(at, tower, width);
}

Count idefics3(const Site& at) {
  const double width = size_or(at.own, {"hidden_size"}, 1152), inner = size_or(at.own, {"intermediate_size"}, 3072);
  const double scale = size_or(at.root, {"scale_factor"}, 2);
  return siglip_encoder(at.own, width, inner, 32) + linear(width * scale * scale, at.hidden);
}

Count clip(const Site& at) {
  const double width = size_or(at.own, {"hidden_size"}, 768), inner = size_or(at.own, {"intermediate_size"}, 3072);
  const double layers = size_or(at.own, {"num_hidden_layers"}, 12);
  const Sides image = sides_or(at.own, "image_size", 224), patch = sides_or(at.own, "patch_size", 32);
  const double pixels = size_or(at.own, {"num_channels"}, 3) * patch.area();
  const double class_embedding = width, positions = (patches(image, patch) + 1) * width;
  const double around = 2 * layer_norm(width);  // pre_layrnorm [sic], post_layernorm
  const double tower = class_embedding + linear(pixels, width) + positions + layers * plain_block(width, inner);
  return with_projector(at, tower + around, width);
}

Count pixtral(const Site& at) {
  const double width = size_or(at.own, {"hidden_size"}, 1024), inner = size_or(at.own, {"intermediate_size"}, 4096);
  const double layers = size_or(at.own, {"num_hidden_layers"}, 24);
  const double pixels = size_or(at.own, {"num_channels"}, 3) * sides_or(at.own, "patch_size", 16).area();
  const double block = 4 * linear(width, width) + gated(width, inner) + 2 * rms_norm(width);
  return with_projector(at, linear(pixels, width) + rms_norm(width) + layers * block, width);
}

Count gemma4_vision(const Site& at) {
  const double width = size_or(at.own, {"hidden_size"}, 768), inner = size_or(at.own, {"intermediate_size"}, 3072);
  const double layers = size_or(at.own, {"num_hidden_layers"}, 16), head = size_or(at.own, {"head_dim"}, 64);
  const double queries = size_or(at.own, {"num_attention_heads"}, 12) * head;
  const double keys = size_or(at.own, {"num_key_value_heads"}, 12) * head;
  const double pixels = 3 * sides_or(at.own, "patch_size", 16).area();
  const double positions = 2 * size_or(at.own, {"position_embedding_size"}, 10240) * width;  // one table per axis
  const double bounds = flag_or(at.own, "use_clipped_linears", false) ? 7 * 4 : 0;  // min, max in and out, a linear
  const double attention = 2 * linear(width, queries) + 2 * linear(width, keys) + 2 * rms_norm(head);
  const double block = attention + gated(width, inner) + 4 * rms_norm(width) + bounds;
  const double standardize = flag_or(at.own, "standardize", false) ? 2 * width : 0;  // std_bias, std_scale
  return linear(pixels, width) + positions + layers * block + standardize + linear(width, at.hidden);
}

Count llama4(const Site& at) {
  const double width = size_or(at.own, {"hidden_size"}, 768), inner = size_or(at.own, {"intermediate_size"}, 5632);
  const double layers = size_or(at.own, {"num_hidden_layers"}, 34);
  const Sides image = sides_or(at.own, "image_size", 448), patch = sides_or(at.own, "patch_size", 14);
  const double pixels = size_or(at.own, {"num_channels"}, 3) * patch.area();
  const double class_embedding = width, positions = (patches(image, patch) + 1) * width;
  const double tower = linear(pixels, width) + class_embedding + positions + 2 * layer_norm(width);
  const double adapter_in = size_or(at.own, {"projector_input_dim"}, 4096);
  const double adapter_out = size_or(at.own, {"projector_output_dim"}, 4096);
  const double adapter = linear(inner, adapter_in) + linear(adapter_out, adapter_out);
  const double out = size_or(at.own, {"vision_output_dim"}, 7680);
  return tower + layers * plain_block(width, inner) + adapter + linear(out, at.hidden);
}

Count mllama(const Site& at) {
  const double width = size_or(at.own, {"hidden_size"}, 1280), inner = size_or(at.own, {"intermediate_size"}, 5120);
  const double layers = size_or(at.own, {"num_hidden_layers"}, 32);
  const double global_layers = at.own.count_or({"num_global_layers"}, 8);
  const Sides image = sides_or(at.own, "image_size", 448), patch = sides_or(at.own, "patch_size", 14);
  const double pixels = size_or(at.own, {"num_channels"}, 3) * patch.area();
  const double positions = patches(image, patch) + 1, tiles = size_or(at.own, {"max_num_tiles"}, 4);
  const double shapes = length_or(at.own, "supported_aspect_ratios", 8) + 1;  // id 0 is padding
  const double gate = 1;
  const double class_embedding = width, around = 2 * layer_norm(width);  // layernorm_pre, layernorm_post
  const double position_tables = gate + positions * width + shapes * tiles * positions * width;
  const double tile_tables = 2 * (gate + shapes * tiles * width);  // before and after the layers
  const double block = 4 * linear(width, width) + biased(width, inner) + biased(inner, width) + 2 * layer_norm(width);
  const double blocks = layers * block + global_layers * (block + 2 * gate);
  const double projector = biased(size_or(at.own, {"vision_output_dim"}, 7680), at.hidden);
  return linear(pixels, width) + class_embedding + position_tables + tile_tables + around + blocks + projector;
}

double qwen_pixels(const ConfigNode& own, double patch) {
  const double channels = size_or(own, {"in_channels", "in_chans"}, 3),
               frames = size_or(own, {"temporal_patch_size"}, 2);
  return channels * frames * sides_or(own, "patch_size", patch).area();
}

/// Two matrices over the pixels that were merged.
double qwen_merger(const ConfigNode& own, double width, double out, double norm) {
  const double merge = size_or(own, {"spatial_merge_size"}, 2), merged = width * merge * merge;
  return norm + biased(merged, merged) + biased(merged, out);
}

Count qwen2_vl(const Site& at) {
  const double width = size_or(at.own, {"embed_dim"}, 1280), out = size_or(at.own, {"hidden_size"}, 3584);
  const double inner = std::floor(width * number_or(at.own, "mlp_ratio", {0.01, 1000}, 4));
  const double blocks = size_or(at.own, {"depth"}, 32) * plain_block(width, inner);
  return linear(qwen_pixels(at.own, 14), width) + blocks + qwen_merger(at.own, width, out, layer_norm(width));
}

Count qwen2_5_vl(const Site& at) {
  const double width = size_or(at.own, {"hidden_size"}, 3584), out = size_or(at.own, {"out_hidden_size"}, 3584);
  const double inner = size_or(at.own, {"intermediate_size"}, 3420);
  const double mlp = 2 * biased(width, inner) + biased(inner, width);
  const double block = 4 * biased(width, width) + mlp + 2 * rms_norm(width);
  const double blocks = size_or(at.own, {"depth"}, 32) * block;
  return linear(qwen_pixels(at.own, 14), width) + blocks + qwen_merger(at.own, width, out, rms_norm(width));
}

double qwen3_tower(const Site& at, double deepstacks) {
  const double width = size_or(at.own, {"hidden_size"}, 1152), out = size_or(at.own, {"out_hidden_size"}, 3584);
  const double inner = size_or(at.own, {"intermediate_size"}, 4304);
  const double blocks = size_or(at.own, {"depth"}, 27) * plain_block(width, inner);
  const double positions = size_or(at.own, {"num_position_embeddings"}, 2304) * width;
  const double merger = qwen_merger(at.own, width, out, layer_norm(width));
  // A deepstack merger is the same but for its norm, which comes after the merging.
  const double merge = at.own.count_or({"spatial_merge_size"}, 2, false);
  const double deepstack = merger - layer_norm(width) + layer_norm(width * merge * merge);
  return biased(qwen_pixels(at.own, 16), width) + positions + blocks + merger + deepstacks * deepstack;
}

Count qwen3_vl(const Site& at) { return qwen3_tower(at, length_or(at.own, "deepstack_visual_indexes", 3)); }
Count qwen3_5(const Site& at) { return qwen3_tower(at, length_or(at.own, "deepstack_visual_indexes", 0)); }

Count glm4v(const Site& at) {
  const double width = size_or(at.own, {"hidden_size"}, 1536), out = size_or(at.own, {"out_hidden_size"}, 4096);
  const Sides image = sides_or(at.own, "image_size", 336), patch = sides_or(at.own, "patch_size", 14);
  const double frames = size_or(at.own, {"temporal_patch_size"}, 2), merge = size_or(at.own, {"spatial_merge_size"}, 2);
  const double pixels = size_or(at.own, {"in_channels"}, 3) * frames * patch.area();
  const double qkv = flag_or(at.own, "attention_bias", false) ? biased(width, 3 * width) : linear(width, 3 * width);
  // The blocks' MLP is as wide as the output; intermediate_size is the merger's.
  const double block = qkv + linear(width, width) + gated(width, out) + 2 * rms_norm(width);
  const double tower = biased(pixels, width) + patches(image, patch) * width + 2 * rms_norm(width);
  const double downsample = biased(width * merge * merge, out);
  const double merger = linear(out, out) + layer_norm(out) + gated(out, size_or(at.own, {"intermediate_size"}, 13696));
  return tower + size_or(at.own, {"depth"}, 24) * block + downsample + merger;
}

Count internvl(const Site& at) {
  const double width = size_or(at.own, {"hidden_size"}, 1024), inner = size_or(at.own, {"intermediate_size"}, 4096);
  const Sides image = sides_or(at.own, "image_size", 448), patch = sides_or(at.own, "patch_size", 14);
  const double pixels = size_or(at.own, {"num_channels"}, 3) * patch.area();
  const std::string norm_type = at.own.optional_text({"norm_type"}).value_or("layer_norm");
  if (norm_type != "layer_norm" && norm_type != "rms_norm") return {};
  const double norm = norm_type == "rms_norm" ? rms_norm(width) : layer_norm(width);
  const auto matrix = flag_or(at.own, "attention_bias", false) ? biased : linear;
  const double qk_norms = flag_or(at.own, "use_qk_norm", false) ? 2 * rms_norm(width) : 0;
  const double attention = 3 * matrix(width, width) + qk_norms + biased(width, width);
  const double layer_scales = 2 * width;
  const double block = attention + biased(width, inner) + biased(inner, width) + 2 * norm + layer_scales;
  double tower =
      width + biased(pixels, width) + size_or(at.own, {"num_hidden_layers"}, 24) * block;  // width: cls_token
  if (flag_or(at.own, "use_mask_token", false)) tower += width;
  if (flag_or(at.own, "use_absolute_position_embeddings", true)) tower += (patches(image, patch) + 1) * width;
  if (!flag_or(at.own, "use_mean_pooling", true)) tower += layer_norm(width);
  const double shrink = std::floor(1 / number_or(at.root, "downsample_ratio", {0.001, 1}, 0.5));
  const double merged = width * shrink * shrink;
  return tower + layer_norm(merged) + biased(merged, at.hidden) + biased(at.hidden, at.hidden);
}

/// MoonViT and its patch merger. Source: vllm, model_executor/models/kimi_k25_vit.py.
Count kimi_k25(const Site& at) {
  if (at.own.optional_text({"mm_projector_type"}).value_or("") != "patchmerger") return {};
  const double width = at.own.count({"vt_hidden_size"}), inner = at.own.count({"vt_intermediate_size"});
  const double patch = at.own.count({"patch_size"}), pixels = 3 * patch * patch;
  const double positions = at.own.count({"init_pos_emb_height"}) * at.own.count({"init_pos_emb_width"}) * width;
  const double blocks = at.own.count({"vt_num_hidden_layers"}) * plain_block(width, inner);
  const bool merges = at.own.has("merge_kernel_size");
  const double merge = merges ? sides_or(at.own, "merge_kernel_size", 1).area() : at.own.count({"merge_kernel_size"});
  const double in = at.own.count({"mm_hidden_size"}), merged = in * merge;
  const double out = at.own.optional_count({"text_hidden_size"}).value_or(at.hidden);
  const double projector = layer_norm(in) + biased(merged, merged) + biased(merged, out);
  return biased(pixels, width) + positions + blocks + layer_norm(width) + projector;
}

/// What the two Gemma conformers share: two feed-forwards with two norms each, attention with a relative position
/// projection and a scale per head dimension, a gated convolution with two norms, and three norms around them.
double conformer_block(double width, double heads, double kernel) {
  const double feed_forward = linear(width, 4 * width) + linear(4 * width, width) + 2 * rms_norm(width);
  const double attention = 5 * linear(width, width) + std::floor(width / heads);  // q, k, v, post, relative position
  const double convolution = linear(width, 2 * width) + linear(width, width) + width * kernel + 2 * rms_norm(width);
  return 2 * feed_forward + attention + convolution + 3 * rms_norm(width);
}

/// Two 3 by 3 convolutions, each with a norm that has no bias.
double subsampling(double first, double second) { return first * 9 + first + second * first * 9 + second; }

/// The channels of the two convolutions.
Sides channels(const ConfigNode& own, std::string_view key) {
  if (own.has(key)) return sides_or(own, key, 1);
  say_default(own, key, "128 and 32");
  return {128, 32};
}

Count gemma4_audio(const Site& at) {
  const double width = size_or(at.own, {"hidden_size"}, 1024), heads = size_or(at.own, {"num_attention_heads"}, 8);
  const double kernel = size_or(at.own, {"conv_kernel_size"}, 5), out = size_or(at.own, {"output_proj_dims"}, 1536);
  const auto [first, second] = channels(at.own, "subsampling_conv_channels");
  const double bounds = flag_or(at.own, "use_clipped_linears", true) ? 10 * 4 : 0;  // min, max in and out, a linear
  const double block = conformer_block(width, heads, kernel) + bounds;
  const double blocks = size_or(at.own, {"num_hidden_layers"}, 12) * block;
  const double input = subsampling(first, second) + linear(std::floor(first / 4) * second, width);
  return input + blocks + biased(width, out) + linear(out, at.hidden);
}

/// All numbers of a list of pairs are `wanted`, or the list is absent.
bool all_are(const ConfigNode& own, std::string_view key, double wanted) {
  const auto is = [wanted](const JsonValue& item, const auto& self) -> bool {
    const JsonArray* items = item.array();
    if (items == nullptr) return item.number() != nullptr && *item.number() == wanted;
    return std::ranges::all_of(*items, [&](const JsonValue& inner) { return self(inner, self); });
  };
  const JsonValue* value = own.value({key});
  return value == nullptr || is(*value, is);
}

Count gemma3n_audio(const Site& at) {
  if (!all_are(at.own, "sscp_conv_kernel_size", 3) || !all_are(at.own, "sscp_conv_stride_size", 2)) return {};
  const double width = size_or(at.own, {"hidden_size"}, 1536), heads = size_or(at.own, {"conf_num_attention_heads"}, 8);
  const double kernel = size_or(at.own, {"conf_conv_kernel_size"}, 5);
  const auto [first, second] = channels(at.own, "sscp_conv_channel_size");
  const double bins = std::ceil(std::ceil(size_or(at.own, {"input_feat_size"}, 128) / 2) / 2);  // two strides of 2
  const double blocks = size_or(at.own, {"conf_num_hidden_layers"}, 12) * conformer_block(width, heads, kernel);
  const double tokens = size_or(at.own, {"vocab_size"}, 128) * width;  // tokens of its own: start, end, padding
  const double embedder = tokens + 2 * rms_norm(width) + linear(width, at.hidden);
  return subsampling(first, second) + linear(second * bins, width) + blocks + embedder;
}

struct TowerKind {
  std::string_view name;  // model_type without "_vision", "_vision_model" or "_audio"
  Count (*count)(const Site&);
};

constexpr TowerKind kVisionTowers[] = {
    {"siglip", siglip},
    {"clip", clip},
    {"pixtral", pixtral},
    {"idefics3", idefics3},
    {"smolvlm", idefics3},
    {"internvl", internvl},
    {"gemma4", gemma4_vision},
    {"llama4", llama4},
    {"mllama", mllama},
    {"qwen2_vl", qwen2_vl},
    {"qwen2_5_vl", qwen2_5_vl},
    {"qwen3_vl", qwen3_vl},
    {"qwen3_vl_moe", qwen3_vl},
    {"qwen3_5", qwen3_5},
    {"qwen3_5_moe", qwen3_5},
    {"glm4v", glm4v},
    {"glm4v_moe", glm4v},
    {"kimi_k25", kimi_k25},
    // A family whose vision_config says no type takes its class's own.
    {"gemma3", siglip},
    {"llava", clip},
    {"mistral3", pixtral},
};

constexpr TowerKind kAudioTowers[] = {{"gemma4", gemma4_audio}, {"gemma3n", gemma3n_audio}};

std::string_view stem(std::string_view type) {
  for (const std::string_view suffix : {"_vision_model", "_vision", "_audio"}) {
    if (type.ends_with(suffix)) return type.substr(0, type.size() - suffix.size());
  }
  return type;
}

/// 0 without a tower, nothing where it is there and cannot be counted.
template <std::size_t N>
Count count_tower(const ConfigNode& root, std::string_view sense, double hidden, const TowerKind (&kinds)[N]) {
  const auto own = root.child(std::string(sense) + "_config");
  if (!own) return 0;
  std::string type = own->optional_text({"model_type"}).value_or("");
  if (type.empty()) type = root.optional_text({"model_type"}).value_or("");
  const auto kind = std::ranges::find(kinds, stem(type), &TowerKind::name);
  const bool known = kind != std::end(kinds);
  if (const Count count = known ? kind->count({*own, root, hidden}) : Count{}) return count;
  root.remark(fmt::format("{} tower \"{}\" is not counted: {}", sense, shortened(type),
                          known ? "this variant's tensors are not known" : "its tensors are not known"));
  return {};
}

}  // namespace

Towers count_towers(const ConfigNode& root, double hidden) {
  const Count vision = count_tower(root, "vision", hidden, kVisionTowers);
  const Count audio = count_tower(root, "audio", hidden, kAudioTowers);
  return {.vision = vision.value_or(0), .audio = audio.value_or(0), .uncounted = !vision || !audio};
}

}  // namespace ridge::catalog
