#include "catalog/results/start_up_log.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/results/log_lines.hpp"
#include "catalog/results/result_checks.hpp"
#include "catalog/results/result_fields.hpp"

namespace ridge::catalog {

namespace {

constexpr double kMi = 1024.0 * 1024, kGi = 1024.0 * kMi;
constexpr double kOldBlock = 16;  // tokens of a block where vLLM 0.6 to 0.8 counts blocks

enum class Says { weights, kv_bytes, kv_tokens };

struct Sentence {
  std::string_view mark;  // the number follows it
  const char* engine;
  Says says;
  double unit;
};

// "GB" of vLLM and SGLang is GiB.
constexpr Sentence kSentences[] = {
    {"Model loading took ", "vllm", Says::weights, kGi},
    {"model weights take", "vllm", Says::weights, kGi},
    {"Available KV cache memory: ", "vllm", Says::kv_bytes, kGi},
    {"available_kv_cache_memory", "vllm", Says::kv_bytes, kGi},
    {"reserved for KV Cache is ", "vllm", Says::kv_bytes, kGi},
    {"GPU KV cache size: ", "vllm", Says::kv_tokens, 1},
    {"# GPU blocks: ", "vllm", Says::kv_tokens, kOldBlock},
    {"# CUDA blocks: ", "vllm", Says::kv_tokens, kOldBlock},
    {"# cuda blocks: ", "vllm", Says::kv_tokens, kOldBlock},
    {"# rocm blocks: ", "vllm", Says::kv_tokens, kOldBlock},
    {"mem usage=", "sglang", Says::weights, kGi},
    {"#tokens: ", "sglang", Says::kv_tokens, 1},
    {"max_total_num_tokens=", "sglang", Says::kv_tokens, 1},
    {"Loaded engine size: ", "trtllm", Says::weights, kMi},
    {"GiB for max tokens in paged KV cache (", "trtllm", Says::kv_tokens, 1},
};

/// A sentence of `mem usage=` is also printed for graphs.
bool means_it(const Sentence& sentence, std::string_view line) {
  return sentence.mark != "mem usage=" || contains(line, "Load weight end");
}

class StartUps {
 public:
  void read(std::string_view line) {
    for (const Sentence& sentence : kSentences) {
      const auto value = means_it(sentence, line) ? number_after(line, sentence.mark) : std::nullopt;
      if (!value || *value <= 0) continue;
      put(sentence, *value * sentence.unit);
      if (sentence.engine == std::string_view("trtllm") && sentence.says == Says::kv_tokens)
        now().kv_bytes = scaled(number_after(line, "Allocated "), kGi);
      if (sentence.mark == "#tokens: ") {
        const auto keys = number_after(line, "K size: "), values = number_after(line, "V size: ");
        if (keys && values) now().kv_bytes = (*keys + *values) * kGi;
      }
    }
    read_settings(line);
  }

  std::vector<BenchmarkResult> finish() {
    for (BenchmarkResult& one : all_) {
      if (one.model.empty()) one.model = model_;
      if (one.engine_version.empty() && one.engine == version_of_) one.engine_version = version_;
      if (tensor_ > 0 && !one.tensor) one.tensor = one.chips = tensor_;
      if (failed_ && !ready_) one.faults.push_back("the engine died while it started, after it said its memory");
      one.version = one.engine_version;
      one.tool = one.engine + " start-up log";
    }
    return std::move(all_);
  }

 private:
  static std::optional<double> scaled(const std::optional<double>& value, double unit) {
    return value ? std::optional<double>(*value * unit) : std::nullopt;
  }
  BenchmarkResult& now() { return all_.back(); }

  /// Ranks repeat each other; another start begins where something is said again after what follows it.
  void put(const Sentence& sentence, double value) {
    const auto differs = [&](const std::optional<double>& old) { return old && std::abs(*old / value - 1) > 1e-3; };
    const bool other_engine = all_.empty() || now().engine != sentence.engine;
    const bool other_words = sentence.says == Says::kv_bytes && !kv_words_.empty() && kv_words_ != sentence.mark;
    const bool again = !all_.empty() && ((sentence.says == Says::weights && (now().kv_bytes || now().kv_tokens)) ||
                                         (sentence.says == Says::kv_bytes && (now().kv_tokens || other_words)) ||
                                         (sentence.says == Says::kv_tokens && differs(now().kv_tokens)));
    // a final count after a first one, of the same start
    const bool final_count = sentence.mark == "max_total_num_tokens=";
    if (other_engine || (again && !final_count && !same(sentence, value))) {
      all_.emplace_back();
      now().kind = ResultKind::start_up;
      now().engine = sentence.engine;
      kv_words_.clear();
    }
    auto& r = now();
    switch (sentence.says) {
      case Says::weights:  // the fullest rank
        r.weight_bytes = std::max(r.weight_bytes.value_or(0), value);
        break;
      case Says::kv_bytes:  // the rank with least decides
        r.kv_bytes = std::min(r.kv_bytes.value_or(value), value);
        kv_words_ = sentence.mark;
        break;
      case Says::kv_tokens:
        r.kv_tokens = value;
        break;
    }
  }

  bool same(const Sentence& sentence, double value) const {
    const auto& r = all_.back();
    const auto& old = sentence.says == Says::weights    ? r.weight_bytes
                      : sentence.says == Says::kv_bytes ? r.kv_bytes
                                                        : r.kv_tokens;
    return old && std::abs(*old / value - 1) < 0.01;
  }

  void read_settings(std::string_view line) {
    const auto version = [&](std::string_view mark, const char* engine) {
      const std::size_t at = line.find(mark);
      if (at == std::string_view::npos || !version_.empty()) return;
      const std::string_view rest = line.substr(at + mark.size());
      version_ = safe_line(rest.substr(0, std::min<std::size_t>(40, rest.find_first_of(" ),"))));
      version_of_ = engine;
    };
    version("vLLM API server version ", "vllm");
    version("V1 LLM engine (v", "vllm");
    version("SGLang Version ", "sglang");
    version("TensorRT-LLM version: ", "trtllm");
    if (contains(line, "non-default args: ") || contains(line, "server_args=")) {
      if (std::string model = python_value(line, "model"); !model.empty()) model_ = std::move(model);
      if (std::string model = python_value(line, "model_path"); !model.empty()) model_ = std::move(model);
      for (const char* name : {"tensor_parallel_size", "tp_size"}) {
        const auto degree = parse_number(python_value(line, name));
        if (degree && *degree >= 1 && *degree <= 1e6) tensor_ = *degree;
      }
    }
    if (contains(line, " ERROR ") || contains(line, "Traceback (most recent call last)")) failed_ = true;
    if (contains(line, "Starting vLLM") || contains(line, "startup complete") || contains(line, "fired up"))
      ready_ = true;
    const auto longest = number_after(line, "Maximum concurrency for "), most = number_after(line, "per request: ");
    if (longest && most && !all_.empty() && now().kv_tokens && *longest > 0) {
      if (!adds_up(*now().kv_tokens / *longest, *most))
        now().notes.push_back(
            fmt::format("a maximum concurrency of {:g} is not its KV tokens over {:g}: layers with "
                        "a window or a state need less",
                        *most, *longest));
    }
  }

  std::vector<BenchmarkResult> all_;
  std::string model_, version_, version_of_, kv_words_;
  double tensor_ = 0;
  bool failed_ = false, ready_ = false;
};

}  // namespace

std::vector<BenchmarkResult> read_start_up(std::string_view text) {
  StartUps starts;
  for (const std::string_view line : lines_of(text)) starts.read(line);
  return starts.finish();
}

}  // namespace ridge::catalog
