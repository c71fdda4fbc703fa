#include "engine/engine_table.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace ridge {

namespace {

using M = Meaning;

// of rows with one meaning the first is written
constexpr FlagRow kVllm[] = {
    {"model", M::model},
    {"tensor-parallel-size", M::tensor},
    {"tp", M::tensor},
    {"pipeline-parallel-size", M::pipeline},
    {"pp", M::pipeline},
    {"data-parallel-size", M::data},
    {"dp", M::data},
    {"enable-expert-parallel", M::expert_everywhere, false},
    {"ep", M::expert_everywhere, false},
    {"decode-context-parallel-size", M::context_inside},
    {"dcp", M::context_inside},
    {"prefill-context-parallel-size", M::context_beside},
    {"pcp", M::context_beside},
    {"eplb-config.num-redundant-experts", M::redundant_experts},
    {"num-redundant-experts", M::redundant_experts},
    {"max-num-seqs", M::sequences},
    {"max-num-batched-tokens", M::token_budget},
    {"max-model-len", M::length},
    {"gpu-memory-utilization", M::memory},
    {"kv-cache-dtype", M::kv},
    {"quantization", M::weights},
    {"q", M::weights},
    {"dtype", M::dtype},
    {"speculative-config.num-speculative-tokens", M::speculative_tokens},
    {"num-speculative-tokens", M::speculative_tokens},
    {"speculative-config", M::settings},
    {"eplb-config", M::settings},
    {"enable-dbo", M::overlap, false},
    {"kv-transfer-config.kv-connector", M::disaggregation},
    {"kv-transfer-config", M::settings},
    {"config", M::settings},
    {"enforce-eager", M::unmodeled, false},
    {"enable-lora", M::unmodeled, false},
    {"cpu-offload-gb", M::unmodeled},
    {"kv-offloading-size", M::unmodeled},
    {"num-gpu-blocks-override", M::unmodeled},
    {"kv-cache-memory-bytes", M::unmodeled},
};

constexpr FlagRow kSglang[] = {
    {"model-path", M::model},
    {"model", M::model},
    {"tp-size", M::tensor},
    {"tp", M::tensor},
    {"tensor-parallel-size", M::tensor},
    {"pp-size", M::pipeline},
    {"pp", M::pipeline},
    {"pipeline-parallel-size", M::pipeline},
    {"dp-size", M::data},
    {"dp", M::data},
    {"data-parallel-size", M::data},
    {"enable-dp-attention", M::attention_data, false},
    {"ep-size", M::expert},
    {"ep", M::expert},
    {"expert-parallel-size", M::expert},
    {"enable-ep-moe", M::expert_everywhere, false},
    {"enable-deepep-moe", M::expert_everywhere, false},
    {"moe-a2a-backend", M::dispatch},
    {"dcp-size", M::context_inside},
    {"decode-context-parallel-size", M::context_inside},
    {"ep-num-redundant-experts", M::redundant_experts},
    {"max-running-requests", M::sequences},
    {"chunked-prefill-size", M::token_budget},
    {"context-length", M::length},
    {"mem-fraction-static", M::memory},
    {"kv-cache-dtype", M::kv},
    {"quantization", M::weights},
    {"dtype", M::dtype},
    {"speculative-num-steps", M::speculative_tokens},
    {"speculative-algorithm", M::speculation},
    {"speculative-algo", M::speculation},
    {"speculative-eagle-topk", M::quiet},
    {"speculative-num-draft-tokens", M::quiet},
    {"speculative-draft-model-path", M::quiet},
    {"speculative-draft", M::quiet},
    {"enable-two-batch-overlap", M::overlap, false},
    {"disaggregation-mode", M::disaggregation},
    {"config", M::settings},
    {"disable-cuda-graph", M::unmodeled, false},
    {"attn-cp-size", M::unmodeled},
    {"moe-dp-size", M::unmodeled},
    {"cpu-offload-gb", M::unmodeled},
    {"enable-hierarchical-cache", M::unmodeled, false},
};

constexpr FlagRow kTrtllm[] = {
    {"model", M::model},
    {"tp-size", M::tensor},
    {"tensor-parallel-size", M::tensor},
    {"pp-size", M::pipeline},
    {"pipeline-parallel-size", M::pipeline},
    {"ep-size", M::expert},
    {"moe-expert-parallel-size", M::expert},
    {"cp-size", M::context_beside},
    {"context-parallel-size", M::context_beside},
    {"enable-attention-dp", M::attention_data, false},
    {"moe-config.load-balancer.num-slots", M::slots},
    {"max-batch-size", M::sequences},
    {"max-num-tokens", M::token_budget},
    {"max-seq-len", M::length},
    {"kv-cache-free-gpu-memory-fraction", M::memory},
    {"free-gpu-memory-fraction", M::memory},
    {"kv-cache-config.free-gpu-memory-fraction", M::memory},
    {"kv-cache-config.dtype", M::kv},
    {"kv-cache-dtype", M::kv},
    {"speculative-config.num-nextn-predict-layers", M::speculative_tokens},
    {"speculative-config.max-draft-len", M::speculative_tokens},
    {"speculative-config.decoding-type", M::speculation},
    {"extra-llm-api-options", M::settings},
    {"config", M::settings},
    {"speculative-config", M::settings},
    {"kv-cache-config", M::settings},
    {"cuda-graph-config", M::settings},
    {"moe-config", M::settings},
    {"cp-config", M::settings},
    {"scheduler-config", M::settings},
    {"attention-dp-config", M::settings},
    {"cache-transceiver-config", M::settings},
    {"disable-overlap-scheduler", M::unmodeled, false},
    {"max-beam-width", M::unmodeled},
};

// known to one engine or several, and no matter here: with a value, without one, with an object for a value
constexpr std::string_view kQuiet[] = {"host",
                                       "port",
                                       "api-key",
                                       "served-model-name",
                                       "tokenizer",
                                       "tokenizer-path",
                                       "tokenizer-mode",
                                       "revision",
                                       "seed",
                                       "random-seed",
                                       "tool-call-parser",
                                       "reasoning-parser",
                                       "chat-template",
                                       "download-dir",
                                       "load-format",
                                       "log-level",
                                       "block-size",
                                       "page-size",
                                       "swap-space",
                                       "backend",
                                       "attention-backend",
                                       "all2all-backend",
                                       "moe-backend",
                                       "moe-runner-backend",
                                       "moe-dense-tp-size",
                                       "deepep-mode",
                                       "distributed-executor-backend",
                                       "nnodes",
                                       "node-rank",
                                       "gpus-per-node",
                                       "master-addr",
                                       "dist-init-addr",
                                       "data-parallel-size-local",
                                       "data-parallel-start-rank",
                                       "data-parallel-rank",
                                       "data-parallel-address",
                                       "data-parallel-rpc-port",
                                       "data-parallel-backend",
                                       "api-server-count",
                                       "max-prefill-tokens",
                                       "cuda-graph-max-bs",
                                       "cuda-graph-bs",
                                       "schedule-conservativeness",
                                       "schedule-policy",
                                       "watchdog-timeout",
                                       "stream-interval",
                                       "num-postprocess-workers",
                                       "disaggregation-transfer-backend",
                                       "disaggregation-ib-device"};
constexpr std::string_view kQuietSwitches[] = {"print-iter-log",
                                               "data-parallel-hybrid-lb",
                                               "data-parallel-external-lb",
                                               "headless",
                                               "trust-remote-code",
                                               "enable-eplb",
                                               "enable-prefix-caching",
                                               "disable-radix-cache",
                                               "enable-chunked-prefill",
                                               "enable-mixed-chunk",
                                               "enable-auto-tool-choice",
                                               "enable-reasoning",
                                               "enable-metrics",
                                               "enable-dp-lm-head",
                                               "enable-torch-compile",
                                               "enable-p2p-check",
                                               "disable-log-requests",
                                               "disable-log-stats",
                                               "disable-custom-all-reduce",
                                               "disable-overlap-schedule",
                                               "async-scheduling",
                                               "use-v2-block-manager",
                                               "skip-server-warmup",
                                               "help"};
constexpr std::string_view kQuietObjects[] = {"deepep-config", "compilation-config", "limit-mm-per-prompt",
                                              "hf-overrides"};

std::span<const FlagRow> rows_of(Engine engine) {
  switch (engine) {
    case Engine::vllm:
      return kVllm;
    case Engine::sglang:
      return kSglang;
    case Engine::trtllm:
      return kTrtllm;
  }
  return {};
}

const FlagRow* find_in(std::span<const FlagRow> rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const FlagRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

const FlagRow* find_quiet(std::string_view name) {
  static constexpr FlagRow kWithValue{"", M::quiet}, kSwitch{"", M::quiet, false}, kObject{"", M::settings};
  const auto among = [&](std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return among(kQuiet) ? &kWithValue : among(kQuietSwitches) ? &kSwitch : among(kQuietObjects) ? &kObject : nullptr;
}

}  // namespace

std::string_view name_of(Engine engine) {
  constexpr std::string_view kNames[] = {"vllm", "sglang", "trtllm"};
  return kNames[static_cast<std::size_t>(engine)];
}

std::string_view title_of(Engine engine) {
  constexpr std::string_view kTitles[] = {"vLLM", "SGLang", "TensorRT-LLM"};
  return kTitles[static_cast<std::size_t>(engine)];
}

const FlagRow* find_flag(Engine engine, std::string_view name) {
  if (const FlagRow* own = find_in(rows_of(engine), name)) return own;
  if (const FlagRow* shared = find_quiet(name)) return shared;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  const FlagRow* around = find_flag(engine, name.substr(0, dot));
  return around != nullptr && around->meaning == M::settings ? around : nullptr;
}

std::string flag_for(Engine engine, Meaning meaning) {
  for (const FlagRow& row : rows_of(engine)) {
    if (row.meaning != meaning) continue;
    std::string name = "--" + std::string(row.name);
    if (engine == Engine::trtllm) std::replace(name.begin() + 2, name.end(), '-', '_');
    return name;
  }
  return "";
}

EngineDefaults defaults_of(Engine engine) {
  switch (engine) {
    case Engine::vllm:
      return {0.9, "0.92 in the newest versions", 8192};
    case Engine::sglang:
      return {0.88, "SGLang works it out from the chip's memory", 8192};
    case Engine::trtllm:
      return {0.9, "of what weights and buffers leave free", 8192};
  }
  return {};
}

std::optional<std::string> format_named(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"fp8", "fp8"},      {"fp8-e4m3", "fp8"},       {"fp8-e5m2", "fp8"},     {"fp8-inc", "fp8"},
      {"w8a8-fp8", "fp8"}, {"modelopt", "fp8"},       {"modelopt-fp8", "fp8"}, {"fbgemm-fp8", "fp8"},
      {"ptpc-fp8", "fp8"}, {"modelopt-fp4", "nvfp4"}, {"nvfp4", "nvfp4"},      {"fp4-e2m1", "nvfp4"},
      {"awq", "w4a16"},    {"awq-marlin", "w4a16"},   {"gptq", "w4a16"},       {"gptq-marlin", "w4a16"},
      {"marlin", "w4a16"}, {"bitsandbytes", "w4a16"}, {"moe-wna16", "w4a16"},  {"w8a8-int8", "int8"},
      {"int8", "int8"},    {"mxfp4", "w4a16-mxfp4"},  {"bf16", "bf16"},        {"bfloat16", "bf16"},
      {"fp16", "fp16"},    {"float16", "fp16"},       {"half", "fp16"},        {"float32", "fp32"},
      {"float", "fp32"},
  };
  for (const auto& [theirs, ours] : kNames) {
    if (theirs == word) return std::string(ours);
  }
  return std::nullopt;
}

}  // namespace ridge
