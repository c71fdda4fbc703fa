#include "catalog/hf/quantization.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/hf/schemes.hpp"

namespace ridge::catalog {

namespace {

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
  PrecisionReader(const ConfigNode& root, const ConfigNode& text, const ConfigWords& words, Model& model)
      : root_(root), text_(text), words_(words), model_(model) {}

  void run() {
    read_base();
    stored_ = read_quantization(root_, text_, words_);
    fill_bytes();
    fill_formats();
  }

 private:
  /// Empty where the name is not known.
  std::string format_of(std::string_view dtype) const {
    const std::string_view prefix = "torch.";
    if (dtype.starts_with(prefix)) dtype.remove_prefix(prefix.size());
    const std::string meant = words_.meaning("number", dtype);
    const bool known = meant == "bf16" || meant == "fp16" || meant == "fp32" || meant == "fp8";
    return known ? meant : "";
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
    if (!stored_.converts() || never_converted(weight)) return plain;
    const bool routed = weight.name.find("mlp.experts.") != std::string::npos;
    if (stored_.only_experts && !routed) return plain;
    if (stored_.head_stays && weight.part == Part::head) return plain;
    const std::vector<std::string> names = names_of(weight, layer);
    const auto matched = [&](const ModulePatterns& patterns) {
      return std::any_of(names.begin(), names.end(), [&](const auto& name) { return patterns.match(name); });
    };
    const Scheme* scheme = stored_.only_targets || !stored_.scheme ? nullptr : &*stored_.scheme;
    bool named = false;
    for (const auto& [patterns, own] : stored_.layers) {
      if (!matched(patterns)) continue;
      scheme = &own;
      named = true;
    }
    if (!named && stored_.moe && routed) scheme = &*stored_.moe;
    // beside a list of modules with their own algorithm, `ignore` is about that algorithm, not about the base method
    if (!(stored_.modules_listed && (named || stored_.scheme)) && matched(ignored)) scheme = nullptr;
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
    for (const auto& [patterns, scheme] : stored_.layers) {
      text += "|" + patterns.said_of_layer(layer);
      regular = regular && patterns.regular();
    }
    return regular ? text : fmt::format("{} {}", kind, layer);
  }

  void fill_bytes() {
    const ModulePatterns ignored(stored_.ignored);
    for (const std::string_view pattern : ignored.refused()) {
      root_.remark(fmt::format("pattern \"{}\" is not understood: it excludes nothing here", shortened(pattern)));
    }
    for (const std::string_view prefix :
         {"model.", "model.language_model.", "language_model.model.", "language_model.", "backbone.", ""}) {
      bool mentioned = prefix == "model." || ignored.names_layers_after(prefix);
      for (const auto& one : stored_.layers) mentioned = mentioned || one.first.names_layers_after(prefix);
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
    precision.kv = stored_.kv.empty() ? precision.attention : stored_.kv;
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
  const ConfigWords& words_;
  Model& model_;
  Quantization stored_;
  std::string base_;
  double base_bytes_ = 2;
  bool experts_beside_ = false;
  std::vector<std::string> prefixes_;
  Converted converted_;
  std::map<std::string, double> converted_bytes_;
};

}  // namespace

void read_precision(const ConfigNode& root, const ConfigNode& text, const ConfigWords& words, Model& model) {
  PrecisionReader(root, text, words, model).run();
}

}  // namespace ridge::catalog
