#include "cli/options/option_groups.hpp"

#include <algorithm>

namespace ridge::cli {

namespace {

constexpr Option serving(std::string_view flags, std::string_view key, std::string_view type, std::string_view help,
                         std::string_view fallback = {}) {
  return {flags, key, type, help, fallback, Reads::serving};
}

}  // namespace

OptionGroup load_options(const UsualLoad& usual) {
  return {
      "Load",
      {serving("--isl,--input-len", "isl", "TOKENS", "input tokens of a request, the mean", usual.isl),
       serving("--osl,--output-len", "osl", "TOKENS", "output tokens of a request, the mean", usual.osl),
       serving("--concurrency,--max-concurrency", "concurrency", "N", "requests in flight", usual.concurrency),
       serving("--rate,--request-rate", "rate", "N", "requests a second, instead of --concurrency; or 50/min, 3k/h"),
       serving("--cached,--prefix-cache-hit-rate", "cached", "SHARE",
               "share of the input tokens found in the prefix cache", "0")}};
}

OptionGroup layout_options() {
  return {"Layout",
          {serving("--tp,--tensor-parallel-size", "tp", "N", "tensor parallelism", "the fewest chips that hold it"),
           serving("--pp,--pipeline-parallel-size", "pp", "N", "pipeline stages", "1"),
           serving("--dp,--data-parallel-size", "dp", "N", "attention data parallelism, sharing the experts", "1"),
           serving("--ep,--expert-parallel-size", "ep", "N", "chips over which the experts are spread",
                   "1, or all with --dp"),
           serving("--cp", "cp", "N", "context parallelism", "1"),
           serving("--redundant-experts", "redundant_experts", "N", "experts held twice, to even out the load", "0"),
           serving("--replicas", "replicas", "N", "independent copies", "1"),
           serving("--disaggregated", "disaggregated", "", "disaggregated prefill: on chips of its own"),
           serving("--prefill-layout", "prefill_layout", "LAYOUT",
                   "of the prefill chips (--disaggregated), e.g. 'tp4' or 'dp8 ep8'", "as decode"),
           serving("--prefill-on", "prefill_on", "MACHINE", "prefill is disaggregated and on chips of this machine",
                   "that of --on"),
           serving("--prefill-price", "prefill_price", "PRICE", "of a chip of --prefill-on", "the catalog's")}};
}

OptionGroup engine_options() {
  return {
      "Engine",
      {serving("--engine", "engine", "NAME", "vllm, sglang, trtllm, atom, llama.cpp, ... (ridge list engines)", "vllm"),
       serving("--memory-utilization,--gpu-memory-utilization", "memory_utilization", "SHARE",
               "share of a chip's memory that the engine takes", "the engine's"),
       serving("--token-budget,--max-num-batched-tokens", "token_budget", "TOKENS",
               "tokens of a step at most (chunked prefill)", "8,192"),
       serving("--ubatch,--ubatch-size", "ubatch", "TOKENS", "tokens of a batch that run at once, in llama.cpp", "512"),
       serving("--speculative-tokens,--num-speculative-tokens", "speculative_tokens", "N", "draft tokens of a step",
               "0"),
       serving("--acceptance-rate", "acceptance_rate", "SHARE", "probability that a draft token is accepted", "0.8"),
       serving("--overlap", "overlap", "HOW",
               "what hides the network: none, two-batch (one micro-batch computes, one sends) or full",
               "none; a plan tries what the engine has")}};
}

OptionGroup serving_formats() {
  return {"Formats", {kWeights, kExperts, kKv.otherwise("what engines choose on the chip")}};
}

std::vector<OptionGroup> step_options(std::initializer_list<OptionGroup> own) {
  OptionGroup engine = engine_options();
  engine.options.insert(engine.options.end(), {kFrom, kCommands});
  std::vector<OptionGroup> groups = {
      {kUsual, {kModelOrScenario, kMachine, kChips, kBatch, kContext}},
      load_options(),
      layout_options(),
      std::move(engine),
      {"Formats and price",
       {kWeights, kExperts, kAttention, kKv.otherwise("as released, or what engines choose when serving"), kPrice,
        kPriceBasis, kUtilization}}};
  groups.insert(groups.end(), own);
  return groups;
}

OptionGroup output_options(std::initializer_list<Option> own) {
  OptionGroup group{"Output", own};
  group.options.insert(group.options.end(), {kJson, kPlain});
  return group;
}

OptionGroup rare_options(std::initializer_list<Option> own) {
  OptionGroup group{"Rarely needed", own};
  group.options.push_back(kCatalog);
  return group;
}

OptionGroup without(OptionGroup group, std::initializer_list<std::string_view> keys) {
  std::erase_if(group.options,
                [&](const Option& option) { return std::find(keys.begin(), keys.end(), option.key) != keys.end(); });
  return group;
}

}  // namespace ridge::cli
