#include "catalog/hf_quantization.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "catalog/module_patterns.hpp"

namespace ridge::catalog {

namespace {

/// How one matrix is stored.
struct Scheme {
  std::string format;     // in catalog/format.toml: what it computes as
  double bits = 16;       // of a value
  double rows = 0;        // outputs under one scale; 0: all
  double columns = 0;     // inputs under one scale; 0: all
  double scale_bits = 0;  // of a scale, zero point included
  double each = 0;        // bytes a tensor has besides
  double per_input = 0;   // bytes for each input column besides: the order of GPTQ

  double bytes(double in, double out) const {
    const double row_blocks = rows > 0 ? std::ceil(out / rows) : 1;
    const double column_blocks = columns > 0 ? std::ceil(in / columns) : 1;
    return std::ceil(in * out * bits / 8) + row_blocks * column_blocks * scale_bits / 8 + each + per_input * in;
  }
};

constexpr double kFloat = 32, kHalf = 16, kByte = 8;

Scheme fp8_blocks(double rows, double columns, double scale_bits) {
  return {.format = rows == 128 && columns == 128 ? "fp8-block128" : "fp8",
          .bits = 8,
          .rows = rows,
          .columns = columns,
          .scale_bits = scale_bits};
}
Scheme fp8_tensor() { return {.format = "fp8", .bits = 8, .each = 8}; }  // weight and input scale, fp32
Scheme nvfp4() { return {.format = "nvfp4", .bits = 4, .rows = 1, .columns = 16, .scale_bits = kByte, .each = 8}; }
Scheme mxfp4() { return {.format = "mxfp4", .bits = 4, .rows = 1, .columns = 32, .scale_bits = kByte}; }

/// Tensors that no method converts: not linear layers, or kept wide by everybody.
bool never_converted(const Weight& weight) {
  if (weight.use != Use::matrix || weight.part == Part::embedding || weight.part == Part::router) return true;
  for (const std::string_view word : {"eh_proj", "weights_proj", "compressor", "hc_", "altup", "laurel", "per_layer"}) {
    if (weight.name.find(word) != std::string::npos) return true;
  }
  return false;
}

/// Bytes of an element that checkpoints keep wider than the rest; 0 where it is like the rest.
double wide_bytes(const Weight& weight) {
  if (weight.name == "mlp.gate.tid2eid") return 8;
  for (const std::string_view word : {"hc_", "attn_sink", "compressor.ape"}) {
    if (weight.name.find(word) != std::string::npos) return 4;
  }
  return 0;
}

class PrecisionReader {
 public:
  PrecisionReader(const ConfigNode& root, const ConfigNode& text, Model& model)
      : root_(root), text_(text), model_(model) {}

  void run() {
    read_base();
    for (const ConfigNode* node : {&root_, &text_}) {
      for (const std::string_view key : {"quantization_config", "compression_config"}) {
        if (!quantization_ && node->has(key)) quantization_ = node->child(key);
      }
    }
    if (quantization_) read_method();
    fill_bytes();
    fill_formats();
  }

 private:
  static std::string format_of(std::string_view dtype) {
    if (dtype == "bfloat16" || dtype == "bf16") return "bf16";
    if (dtype == "float16" || dtype == "fp16" || dtype == "half") return "fp16";
    if (dtype == "float32" || dtype == "fp32") return "fp32";
    return dtype.starts_with("float8") ? "fp8" : "";
  }

  void read_base() {
    auto dtype = text_.optional_text({"torch_dtype", "dtype"});
    if (!dtype) dtype = root_.optional_text({"torch_dtype", "dtype"});
    base_ = dtype ? format_of(*dtype) : "bf16";
    if (!dtype) root_.remark("torch_dtype is not in the file: bf16 by default");
    if (base_.empty()) {
      root_.complain("torch_dtype", fmt::format("number format \"{}\" is not known", shortened(*dtype)),
                     "bfloat16, float16 or float32");
      base_ = "bf16";
    }
    base_bytes_ = base_ == "fp32" ? 4 : base_ == "fp8" ? 1 : 2;
  }

  void ignore_from(Names names) {
    if (const auto patterns = quantization_->optional_texts(names)) {
      ignored_.insert(ignored_.end(), patterns->begin(), patterns->end());
    }
  }

  void read_method() {
    const ConfigNode& q = *quantization_;
    ignore_from({"modules_to_not_convert"});
    ignore_from({"ignore"});
    ignore_from({"exclude_modules"});
    ignore_from({"llm_int8_skip_modules"});
    if (const auto dynamic = q.child("dynamic")) {  // GPTQModel: "-:REGEX" takes modules out
      for (const auto& [pattern, unused] : dynamic->members()) {
        if (pattern.starts_with("-:")) {
          ignored_.emplace_back(own_patterns_.emplace_back("re:" + pattern.substr(2)));
        } else {
          q.complain("dynamic", fmt::format("\"{}\" has a format of its own", shortened(pattern)),
                     "only modules that are left out (-:) are supported");
        }
      }
    }
    const std::string method = q.optional_text({"quant_method"}).value_or("");
    const std::string algorithm = q.optional_text({"quant_algo"}).value_or("");
    read_kv(q);
    if (method == "fp8") {
      scheme_ = read_fp8(q);
    } else if (method == "mxfp4") {
      scheme_ = mxfp4();
      only_experts_ = true;
    } else if (method == "gptq") {
      scheme_ = read_integer(q, q.count({"bits"}), q.optional_number({"group_size"}).value_or(-1), true);
      scheme_->per_input = 4;  // g_idx
      if (!q.flag_or({"lm_head"}, false)) head_stays_ = true;
    } else if (method == "awq") {
      scheme_ =
          read_integer(q, q.count({"bits", "w_bit"}), q.optional_number({"group_size", "q_group_size"}).value_or(-1),
                       q.flag_or({"zero_point"}, true));
      head_stays_ = true;
    } else if (method == "bitsandbytes") {
      scheme_ = read_bitsandbytes(q);
      head_stays_ = true;
    } else if (method == "fbgemm_fp8") {
      scheme_ = Scheme{.format = "fp8", .bits = 8, .rows = 1, .scale_bits = kFloat};
      head_stays_ = true;
    } else if (method == "compressed-tensors" || method == "modelopt" || method.empty()) {
      scheme_ = read_groups(q);
      if (!scheme_) scheme_ = read_algorithm(q, algorithm);
    }
    if (const auto layers = q.child("quantized_layers")) read_layers(*layers);
    if (!scheme_ && layers_.empty()) {
      return q.complain(
          "quant_method",
          fmt::format("quantisation \"{}\" is not known", shortened(algorithm.empty() ? method
                                                                    : method.empty()  ? algorithm
                                                                                      : method + " " + algorithm)),
          "bytes of its weights cannot be counted; fp8, mxfp4, nvfp4, gptq, awq, compressed-tensors, modelopt "
          "and bitsandbytes can");
    }
    if (text_.optional_text({"expert_dtype"}).value_or("") == "fp4" && !moe_) moe_ = mxfp4();
    if (const auto moe = q.optional_text({"moe_quant_algo"}); moe && layers_.empty()) moe_ = read_algorithm(q, *moe);
  }

  void read_kv(const ConfigNode& q) {
    const JsonValue* scheme = q.value({"kv_cache_scheme"});
    std::string said = lower_case(q.optional_text({"kv_cache_quant_algo"}).value_or(""));
    if (scheme != nullptr && scheme->text() != nullptr) said = lower_case(*scheme->text());
    if (scheme != nullptr && scheme->object() != nullptr) {
      const auto node = q.child("kv_cache_scheme");
      const double bits = node->count({"num_bits"});
      const bool whole = node->optional_text({"type"}).value_or("float") == "int";
      said = bits == 8 ? (whole ? "int8" : "fp8") : bits == 4 && !whole ? "nvfp4" : fmt::format("{:g} bits", bits);
    }
    if (said.empty() || said == "none" || said == "16 bits") return;  // as the weights' own format
    if (said == "fp8" || said == "int8" || said == "nvfp4") {
      kv_ = said;
    } else {
      q.complain("kv_cache_scheme", fmt::format("a cache in \"{}\" is not known", shortened(said)),
                 "fp8, int8 or nvfp4");
    }
  }

  std::optional<Scheme> read_fp8(const ConfigNode& q) {
    head_stays_ = true;
    const auto block = q.optional_counts({"weight_block_size"});
    if (!block) return fp8_tensor();
    if (block->size() != 2 || (*block)[0] < 1 || (*block)[1] < 1) {
      q.complain("weight_block_size", "two numbers of at least 1 are expected", "e.g. [128, 128]");
      return fp8_tensor();
    }
    // DeepSeek-V4 stores its power-of-two scales in one byte; the others keep fp32
    const bool byte_scales = q.optional_text({"scale_fmt"}).value_or("") == "ue8m0" && text_.has("compress_ratios");
    return fp8_blocks((*block)[0], (*block)[1], byte_scales ? kByte : kFloat);
  }

  static Scheme read_integer(const ConfigNode& q, double bits, double group, bool zeros) {
    if (bits < 1 || bits > 16) q.complain("bits", fmt::format("{:g} bits", bits), "between 1 and 16");
    if (group > 0 && (group < 1 || group != std::floor(group) || group > 1e9)) {
      q.complain("group_size", fmt::format("{:g} weights under one scale", group),
                 "a whole number, or -1 for a whole row");
      group = 0;
    }
    return {.format = bits <= 4 ? "int4" : "int8",
            .bits = bits,
            .rows = 1,
            .columns = group > 0 ? group : 0,
            .scale_bits = kHalf + (zeros ? bits : 0)};
  }

  static std::optional<Scheme> read_bitsandbytes(const ConfigNode& q) {
    if (q.flag_or({"load_in_8bit", "_load_in_8bit"}, false))
      return Scheme{.format = "int8", .bits = 8, .rows = 1, .scale_bits = kFloat};
    if (!q.flag_or({"load_in_4bit", "_load_in_4bit"}, false)) return {};
    const bool twice = q.flag_or({"bnb_4bit_use_double_quant"}, false);
    // blocks of 64 along the flattened tensor; a second quantisation keeps one byte of each scale and fp32 for 256 of them
    return Scheme{.format = "int4", .bits = 4 + (twice ? 8.0 + 32.0 / 256 : 32.0) / 64};
  }

  static std::optional<Scheme> read_algorithm(const ConfigNode& q, const std::string& algorithm) {
    const std::string name = lower_case(algorithm);
    if (name == "fp8") return fp8_tensor();
    if (name == "nvfp4") return nvfp4();
    if (name == "mxfp4") return mxfp4();
    if (name == "w4a16_awq" || name == "w4a8_awq") {
      return read_integer(q, 4, q.optional_number({"group_size"}).value_or(128), false);
    }
    return {};
  }

  /// config_groups of compressed-tensors and modelopt.
  std::optional<Scheme> read_groups(const ConfigNode& q) {
    const auto groups = q.child("config_groups");
    if (!groups) return {};
    std::optional<Scheme> first;
    bool any_everything = false;
    for (const auto& [name, unused] : groups->members()) {
      const auto group = groups->child(name);
      const auto weights = group ? group->child("weights") : std::nullopt;
      const auto targets = group ? group->optional_texts({"targets"}) : std::nullopt;
      const bool everything = !targets || std::find(targets->begin(), targets->end(), "Linear") != targets->end();
      any_everything = any_everything || everything;
      if (!weights) continue;
      const Scheme scheme = read_group(q, *weights);
      if (everything || !first) first = scheme;
      if (!everything) layers_.push_back({ModulePatterns(*targets), scheme});
    }
    only_targets_ = first && !any_everything;  // every group names its modules: what no group names stays wide
    return first;
  }

  Scheme read_group(const ConfigNode& q, const ConfigNode& weights) {
    const double bits = weights.count({"num_bits"});
    const std::string type = weights.optional_text({"type"}).value_or("int");
    const std::string strategy = weights.optional_text({"strategy"}).value_or("");
    const double group = weights.optional_number({"group_size"}).value_or(0);
    if (type == "float" && bits == 4) {
      return group == 32 ? mxfp4() : nvfp4();
    }
    if (type == "float" && bits == 8) {
      if (const auto block = weights.optional_counts({"block_structure"});
          block && block->size() == 2 && (*block)[0] > 0 && (*block)[1] > 0) {
        return fp8_blocks((*block)[0], (*block)[1], kFloat);
      }
      if (strategy == "channel") return {.format = "fp8", .bits = 8, .rows = 1, .scale_bits = kHalf};
      if (group > 0) return {.format = "fp8", .bits = 8, .rows = 1, .columns = group, .scale_bits = kHalf};
      return fp8_tensor();
    }
    if (type != "int") {
      q.complain("config_groups", fmt::format("{} values of {:g} bits are not known", shortened(type), bits),
                 "float of 4 or 8 bits, or int");
    }
    Scheme scheme = read_integer(q, bits, strategy == "channel" ? 0 : group, !weights.flag_or({"symmetric"}, true));
    if (strategy == "tensor") scheme.rows = 0;
    if (q.optional_text({"format"}).value_or("") == "pack-quantized") scheme.each = 8;  // weight_shape
    return scheme;
  }

  /// Modules listed one by one, each with its algorithm.
  void read_layers(const ConfigNode& listed) {
    modules_listed_ = true;
    std::map<std::string_view, std::vector<std::string_view>> by_algorithm;
    for (const auto& [module, value] : listed.members()) {
      const JsonValue* algorithm = value.find("quant_algo");
      by_algorithm[algorithm != nullptr && algorithm->text() != nullptr ? std::string_view(*algorithm->text()) : ""]
          .push_back(module);
    }
    for (const auto& [algorithm, modules] : by_algorithm) {
      const auto scheme = read_algorithm(*quantization_, std::string(algorithm));
      if (!scheme) {
        listed.complain("quant_algo", fmt::format("algorithm \"{}\" is not known", shortened(algorithm)),
                        "FP8, NVFP4, MXFP4 or W4A16_AWQ");
        continue;
      }
      layers_.push_back({ModulePatterns(modules), *scheme});
    }
    if (lower_case(quantization_->optional_text({"quant_method"}).value_or("")) != "fp8") only_targets_ = true;
  }

  /// The module as checkpoints of different families call it.
  std::vector<std::string> names_of(const Weight& weight, double layer) const {
    std::vector<std::string> inner = {weight.name};
    const bool beside = experts_beside_ && weight.name.starts_with("mlp.experts.");
    if (beside) inner = {weight.name.substr(4)};  // Gemma 4 keeps experts beside the network called mlp
    const auto also = [&](std::string_view from, std::initializer_list<std::string_view> tos) {
      const std::vector<std::string> before = inner;
      for (const std::string& name : before) {
        const std::size_t at = name.find(from);
        if (at == std::string::npos) continue;
        for (const std::string_view to : tos) inner.push_back(std::string(name).replace(at, from.size(), to));
      }
    };
    also("mlp.shared_experts.", {"mlp.shared_expert."});
    if (weight.name.starts_with("self_attn.")) also("self_attn.", {"attn.", "mixer."});
    if (weight.name.starts_with("mlp.")) also("mlp.", {"ffn.", "block_sparse_moe.", "feed_forward.", "mixer."});
    also("indexer.weights_proj", {"indexers_proj"});
    also("experts.", {"experts.0."});
    std::vector<std::string> names;
    if (layer < 0) {
      for (const std::string& name : inner) {
        names.push_back(name);
        if (name == "lm_head") names.insert(names.end(), {"head", "language_model.lm_head"});
      }
      return names;
    }
    const bool module = layer >= model_.layers();
    for (const std::string_view prefix : prefixes_) {
      for (const std::string& name : inner) names.push_back(fmt::format("{}layers.{:.0f}.{}", prefix, layer, name));
    }
    if (module) {
      for (const std::string& name : inner) {
        const double number = layer - model_.layers();
        names.push_back(fmt::format("mtp.{:.0f}.{}", number, name));
        names.push_back(fmt::format("mtp.layers.{:.0f}.{}", number, name));
      }
    }
    return names;
  }

  double tensor_bytes(const Weight& weight, double layer, const ModulePatterns& ignored) {
    const double values = weight.params();
    // Qwen3.5 keeps these in the format of its state
    const bool as_state =
        text_.has("mamba_ssm_dtype") && (weight.name == "linear_attn.A_log" || weight.name == "linear_attn.norm");
    const double plain = values * std::max(base_bytes_, as_state ? 4 : wide_bytes(weight));
    const bool correction = weight.name == "mlp.gate.bias" && text_.has_any({"topk_method", "use_routing_bias"});
    if (correction) return values * 4;
    if ((!scheme_ && layers_.empty()) || never_converted(weight)) return plain;
    const bool routed = weight.name.find("mlp.experts.") != std::string::npos;
    if (only_experts_ && !routed) return plain;
    if (head_stays_ && weight.part == Part::head) return plain;
    const std::vector<std::string> names = names_of(weight, layer);
    const auto matched = [&](const ModulePatterns& patterns) {
      return std::any_of(names.begin(), names.end(), [&](const auto& name) { return patterns.match(name); });
    };
    const Scheme* scheme = only_targets_ || !scheme_ ? nullptr : &*scheme_;
    bool named = false;
    for (const auto& [patterns, own] : layers_) {
      if (!matched(patterns)) continue;
      scheme = &own;
      named = true;
    }
    if (!named && moe_ && routed) scheme = &*moe_;
    // beside a list of modules with their own algorithm, `ignore` is about that algorithm, not about the base method
    if (!(modules_listed_ && (named || scheme_)) && matched(ignored)) scheme = nullptr;
    if (scheme == nullptr) return plain;
    converted_[scheme->format][weight.part] += values;
    const double bytes = scheme->bytes(weight.in, weight.out) * weight.count;
    converted_bytes_[scheme->format] += bytes;
    return bytes;
  }

  using Converted = std::map<std::string, std::map<Part, double>>;  // values by format and part
  struct LayerBytes {
    std::map<Part, double> parts;
    Converted converted;
    std::map<std::string, double> converted_bytes;
  };

  LayerBytes layer_bytes(const Weights& weights, double layer, const ModulePatterns& ignored) {
    const Converted before = std::exchange(converted_, {});
    const auto bytes_before = std::exchange(converted_bytes_, {});
    LayerBytes bytes;
    for (const Weight& weight : weights) bytes.parts[weight.part] += tensor_bytes(weight, layer, ignored);
    bytes.converted = std::exchange(converted_, before);
    bytes.converted_bytes = std::exchange(converted_bytes_, bytes_before);
    return bytes;
  }

  std::string alike_text(std::size_t kind, double layer, const ModulePatterns& ignored) const {
    std::string text = fmt::format("{}\n", kind) + ignored.said_of_layer(layer);
    bool regular = ignored.regular();
    for (const auto& [patterns, scheme] : layers_) {
      text += "|" + patterns.said_of_layer(layer);
      regular = regular && patterns.regular();
    }
    return regular ? text : fmt::format("{} {}", kind, layer);
  }

  void fill_bytes() {
    const ModulePatterns ignored(ignored_);
    for (const std::string_view pattern : ignored.refused()) {
      root_.remark(fmt::format("pattern \"{}\" is not understood: it excludes nothing here", shortened(pattern)));
    }
    for (const std::string_view prefix :
         {"model.", "model.language_model.", "language_model.model.", "language_model.", "backbone.", ""}) {
      bool mentioned = prefix == "model." || ignored.names_layers_after(prefix);
      for (const auto& one : layers_) mentioned = mentioned || one.first.names_layers_after(prefix);
      if (mentioned) prefixes_.emplace_back(prefix);
    }
    const auto add = [&](Part part, double bytes) { model_.released[static_cast<std::size_t>(part)] += bytes; };
    for (const Weight& weight : outer_weights(model_)) add(weight.part, tensor_bytes(weight, -1, ignored));
    std::vector<Weights> by_kind;
    for (const Layer& kind : model_.kinds) {
      by_kind.push_back(weights_of(kind, model_.hidden));
      experts_beside_ = experts_beside_ || (kind.dense && kind.experts);
    }
    double layer = 0;
    std::map<std::string, LayerBytes> known;  // layers of one kind of which the patterns say the same
    for (const std::size_t kind : model_.order) {
      LayerBytes& bytes = known[alike_text(kind, layer, ignored)];
      if (bytes.parts.empty()) bytes = layer_bytes(by_kind[kind], layer, ignored);
      for (const auto& [part, sum] : bytes.parts) add(part, sum);
      for (const auto& [format, parts] : bytes.converted) {
        for (const auto& [part, values] : parts) converted_[format][part] += values;
      }
      for (const auto& [format, sum] : bytes.converted_bytes) converted_bytes_[format] += sum;
      ++layer;
    }
    for (const std::size_t kind : model_.mtp_order) {
      for (const Weight& weight : by_kind[kind]) add(Part::mtp, tensor_bytes(weight, layer, ignored));
      ++layer;
    }
    for (const Weight& weight : model_.mtp_extra) {
      const bool joined = text_.has("compress_ratios") && weight.name == "eh_proj";  // DeepSeek-V4 converts these too
      Weight own = weight;
      if (joined) own.name = "e_proj";
      add(Part::mtp, weight.name == "embed_tokens" || weight.name == "shared_head.head"
                         ? weight.params() * base_bytes_
                         : tensor_bytes(own, model_.layers(), ignored));
    }
    add(Part::vision, model_.vision * base_bytes_);
    add(Part::audio, model_.audio * base_bytes_);
    double rest = std::accumulate(model_.released.begin(), model_.released.end(), 0.0);
    for (const auto& [format, bytes] : converted_bytes_) {
      model_.released_formats[format] = bytes;
      rest -= bytes;
    }
    model_.released_formats[base_] += rest;  // with the few that are kept wider still
  }

  /// The format most of a class of weights is in.
  std::string main_format(const ParameterParts& parts, std::initializer_list<Part> which) const {
    std::string best = base_;
    double all = 0, converted = 0, most = 0;
    for (const Part part : which) all += parts[part];
    for (const auto& [format, by_part] : converted_) {
      double sum = 0;
      for (const auto& [part, values] : by_part) {
        if (std::find(which.begin(), which.end(), part) != which.end()) sum += values;
      }
      converted += sum;
      if (sum <= most) continue;
      most = sum;
      best = format;
    }
    return all - converted > most ? base_ : best;
  }

  void fill_formats() {
    const ParameterParts parts = count_parameters(model_);
    Precisions& precision = model_.precision.value;
    precision.weights = main_format(parts, {Part::attention, Part::dense_ffn, Part::shared_experts, Part::head});
    precision.experts = model_.experts() == nullptr ? precision.weights : main_format(parts, {Part::routed_experts});
    precision.attention = base_ == "fp32" ? "fp32" : base_ == "fp8" ? "bf16" : base_;
    precision.kv = kv_.empty() ? precision.attention : kv_;
    bool has_index = false, has_state = false;
    for (const ContextTerm& term : context_terms(model_)) {
      has_index = has_index || term.held == Held::index;
      has_state = has_state || term.held == Held::state;
    }
    if (has_index) {
      precision.index = "fp8-scale128";
      root_.remark("index keys are kept in fp8 with a scale for each 128, as the serving engines do");
    }
    if (!has_state) return;
    const auto state = text_.optional_text({"mamba_ssm_cache_dtype", "mamba_ssm_dtype"});
    precision.state = state ? format_of(*state) : "fp32";
    if (precision.state.empty()) precision.state = "fp32";
    if (!state) root_.remark("the recurrent state is kept in fp32 by default");
  }

  const ConfigNode& root_;
  const ConfigNode& text_;
  Model& model_;
  std::optional<ConfigNode> quantization_;
  std::string base_, kv_;
  double base_bytes_ = 2;
  std::optional<Scheme> scheme_, moe_;
  std::vector<std::pair<ModulePatterns, Scheme>> layers_;  // modules with a scheme of their own
  bool head_stays_ = false;                                // the method leaves the head as it is
  bool modules_listed_ = false;                            // quantized_layers
  bool only_experts_ = false;                              // everything else stays wide
  bool only_targets_ = false;                              // modules that no group names stay wide
  bool experts_beside_ = false;
  std::vector<std::string_view> ignored_;  // of the file's tree, or of
  std::deque<std::string> own_patterns_;
  std::vector<std::string> prefixes_;
  Converted converted_;
  std::map<std::string, double> converted_bytes_;
};

}  // namespace

void read_precision(const ConfigNode& root, const ConfigNode& text, Model& model) {
  PrecisionReader(root, text, model).run();
}

}  // namespace ridge::catalog
