#include "catalog/hf/schemes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

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

class QuantizationReader {
 public:
  QuantizationReader(const ConfigNode& quantization, const ConfigNode& text, const ConfigWords& words)
      : q_(quantization), text_(text), words_(words) {}

  Quantization run() {
    read_method();
    return std::move(out_);
  }

 private:
  void ignore_from(Names names) {
    if (const auto patterns = q_.optional_texts(names)) {
      out_.ignored.insert(out_.ignored.end(), patterns->begin(), patterns->end());
    }
  }

  void read_method() {
    const ConfigNode& q = q_;
    ignore_from({"modules_to_not_convert"});
    ignore_from({"ignore"});
    ignore_from({"exclude_modules"});
    ignore_from({"llm_int8_skip_modules"});
    if (const auto dynamic = q.child("dynamic")) {  // GPTQModel: "-:REGEX" takes modules out
      for (const auto& [pattern, unused] : dynamic->members()) {
        if (pattern.starts_with("-:")) {
          out_.ignored.emplace_back(out_.own_patterns.emplace_back("re:" + pattern.substr(2)));
        } else {
          q.complain("dynamic", fmt::format("\"{}\" has a format of its own", shortened(pattern)),
                     "only modules that are left out (-:) are supported");
        }
      }
    }
    const std::string said = q.optional_text({"quant_method"}).value_or("");
    const std::string method = words_.meaning("quant_method", lower_case(said));
    const std::string algorithm = q.optional_text({"quant_algo"}).value_or("");
    read_kv(q);
    if (method == "fp8") {
      out_.scheme = read_fp8(q);
    } else if (method == "mxfp4") {
      out_.scheme = mxfp4();
      out_.only_experts = true;
    } else if (method == "gptq") {
      out_.scheme = read_integer(q, q.count({"bits"}), q.optional_number({"group_size"}).value_or(-1), true);
      out_.scheme->per_input = 4;  // g_idx
      if (!q.flag_or({"lm_head"}, false)) out_.head_stays = true;
    } else if (method == "awq") {
      out_.scheme =
          read_integer(q, q.count({"bits", "w_bit"}), q.optional_number({"group_size", "q_group_size"}).value_or(-1),
                       q.flag_or({"zero_point"}, true));
      out_.head_stays = true;
    } else if (method == "bitsandbytes") {
      out_.scheme = read_bitsandbytes(q);
      out_.head_stays = true;
    } else if (method == "fbgemm_fp8") {
      out_.scheme = Scheme{.format = "fp8", .bits = 8, .rows = 1, .scale_bits = kFloat};
      out_.head_stays = true;
    } else if (method == "compressed-tensors" || method == "modelopt" || method.empty()) {
      out_.scheme = read_groups(q);
      if (!out_.scheme) out_.scheme = read_algorithm(q, algorithm);
    }
    if (const auto layers = q.child("quantized_layers")) read_layers(*layers);
    if (!out_.scheme && out_.layers.empty()) {
      return q.complain(
          "quant_method",
          fmt::format("quantization \"{}\" is not known", shortened(algorithm.empty() ? said
                                                                    : said.empty()    ? algorithm
                                                                                      : said + " " + algorithm)),
          "bytes of its weights cannot be counted; fp8, mxfp4, nvfp4, gptq, awq, compressed-tensors, modelopt "
          "and bitsandbytes can");
    }
    if (text_.optional_text({"expert_dtype"}).value_or("") == "fp4" && !out_.moe) out_.moe = mxfp4();
    if (const auto moe = q.optional_text({"moe_quant_algo"}); moe && out_.layers.empty())
      out_.moe = read_algorithm(q, *moe);
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
      out_.kv = said;
    } else {
      q.complain("kv_cache_scheme", fmt::format("a cache in \"{}\" is not known", shortened(said)),
                 "fp8, int8 or nvfp4");
    }
  }

  std::optional<Scheme> read_fp8(const ConfigNode& q) {
    out_.head_stays = true;
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
    // blocks of 64 along the flattened tensor; a second quantization keeps one byte of each scale and fp32 for 256 of them
    return Scheme{.format = "int4", .bits = 4 + (twice ? 8.0 + 32.0 / 256 : 32.0) / 64};
  }

  std::optional<Scheme> read_algorithm(const ConfigNode& q, const std::string& algorithm) const {
    const std::string name = words_.meaning("quant_algo", lower_case(algorithm));
    if (name == "fp8") return fp8_tensor();
    if (name == "nvfp4") return nvfp4();
    if (name == "mxfp4") return mxfp4();
    if (name == "w4a16_awq") {
      return read_integer(q, 4, q.optional_number({"group_size"}).value_or(128), false);
    }
    return {};
  }

  /// config_groups of compressed-tensors and modelopt.
  std::optional<Scheme> read_groups(const ConfigNode& q) {
    const auto groups = q.child("config_groups");
    if (!groups) return {};
    if (const auto sparsity = q.has("sparsity_config") ? q.child("sparsity_config") : std::nullopt) {
      const std::string format = sparsity->optional_text({"format"}).value_or("dense");
      if (format != "dense")
        sparsity->complain("format", fmt::format("weights in \"{}\" are not supported", shortened(format)),
                           "the bytes of sparse weights cannot be counted; dense can");
    }
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
      if (!everything) out_.layers.push_back({ModulePatterns(*targets), scheme});
    }
    out_.only_targets = first && !any_everything;  // every group names its modules: what no group names stays wide
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
    out_.modules_listed = true;
    std::map<std::string_view, std::vector<std::string_view>> by_algorithm;
    for (const auto& [module, value] : listed.members()) {
      const JsonValue* algorithm = value.find("quant_algo");
      by_algorithm[algorithm != nullptr && algorithm->text() != nullptr ? std::string_view(*algorithm->text()) : ""]
          .push_back(module);
    }
    for (const auto& [algorithm, modules] : by_algorithm) {
      const auto scheme = read_algorithm(q_, std::string(algorithm));
      if (!scheme) {
        listed.complain("quant_algo", fmt::format("algorithm \"{}\" is not known", shortened(algorithm)),
                        "FP8, NVFP4, MXFP4 or W4A16_AWQ");
        continue;
      }
      out_.layers.push_back({ModulePatterns(modules), *scheme});
    }
    if (words_.meaning("quant_method", lower_case(q_.optional_text({"quant_method"}).value_or(""))) != "fp8")
      out_.only_targets = true;
    q_.settle({"config_groups", "group_size", "quant_algo"});  // every module has its own
  }

  const ConfigNode& q_;
  const ConfigNode& text_;
  const ConfigWords& words_;
  Quantization out_;
};

}  // namespace

double Scheme::bytes(double in, double out) const {
  const double row_blocks = rows > 0 ? std::ceil(out / rows) : 1;
  const double column_blocks = columns > 0 ? std::ceil(in / columns) : 1;
  return std::ceil(in * out * bits / 8) + row_blocks * column_blocks * scale_bits / 8 + each + per_input * in;
}

Quantization read_quantization(const ConfigNode& root, const ConfigNode& text, const ConfigWords& words) {
  for (const ConfigNode* node : {&root, &text}) {
    for (const std::string_view key : {"quantization_config", "compression_config"}) {
      if (!node->has(key)) continue;
      if (const auto said = node->child(key)) return QuantizationReader(*said, text, words).run();
    }
  }
  return {};
}

}  // namespace ridge::catalog
