#include "cli/shared_options.hpp"

namespace ridge::cli {

void Settings::operator()(const Word& word) const {
  const std::string help =
      word.fallback == nullptr ? word.help : std::string(word.help) + "; default: " + word.fallback;
  CLI::Option* option = app_.add_option_function<std::string>(
      word.flags,
      [&into = into_, key = std::string(word.key)](const std::string& text) { into.emplace_back(key, text); }, help);
  option->type_name(word.type);
  if (!group_.empty()) option->group(group_);
}

void Settings::flag(const char* flag, const char* key, const char* help) const {
  app_.add_flag_callback(
      flag, [&into = into_, name = std::string(key)] { into.emplace_back(name, ""); }, help);
}

void add_output_options(CLI::App& app, Options& options) {
  app.add_flag("--json", options.json, "answer as JSON (schema named inside)");
  app.add_flag("--plain", options.plain, "no colors and ASCII only");
  add_catalog(app, options);
}

void add_catalog(CLI::App& app, Options& options) {
  app.add_option("--catalog", options.catalog_folder, "folder whose entries add to or replace the built-in ones")
      ->type_name("DIR");
}

void add_case_options(CLI::App& app, Options& options) {
  const Settings setting(app, options.settings);
  setting(kMachine);
  setting("--chips", "chips", "N", "chips sharing the step; default: the machine's scale-up domain");
  setting("--batch", "batch", "N", "sequences decoding at once; default: 2,048, or the largest that fits");
  setting(kContext);
  setting(kWeights);
  setting(kExperts);
  setting("--attention", "attention", "FORMAT", "format attention computes in; default: as released");
  setting(kKv.otherwise("as released, or what engines choose when serving"));
  setting(kPrice);
  setting(kUtilization);
  add_assume(app, options);
  add_set(app, options);
}

void add_serving_options(CLI::App& app, Options& options, const UsualLoad& usual) {
  const char* group = "Serving: a layout and a load";
  const Settings setting(app, options.serving, group);
  setting({"--isl,--input-len", "isl", "TOKENS", "mean length of a prompt", usual.prompt});
  setting({"--osl,--output-len", "osl", "TOKENS", "mean length of an answer", usual.answer});
  setting({"--concurrency,--max-concurrency", "concurrency", "N", "requests in flight", usual.in_flight});
  setting("--rate,--request-rate", "rate", "N", "requests a second, instead of --concurrency");
  setting("--cached", "cached", "SHARE", "share of each prompt found in the prefix cache; default: 0");
  setting("--engine", "engine", "NAME", "vllm, sglang, trtllm, atom, ... (ridge list engines); default: vllm");
  setting("--tp,--tensor-parallel-size", "tp", "N", "tensor parallelism; default: the fewest chips that hold it");
  setting("--pp,--pipeline-parallel-size", "pp", "N", "pipeline stages; default: 1");
  setting("--dp,--data-parallel-size", "dp", "N", "attention data parallelism, sharing the experts; default: 1");
  setting("--ep,--expert-parallel-size", "ep", "N",
          "chips over which experts are spread; default: 1, or all with --dp");
  setting("--redundant", "redundant_experts", "N", "experts held twice, to even out the load; default: 0");
  setting("--cp", "cp", "N", "context parallelism; default: 1");
  setting("--replicas", "replicas", "N", "independent copies; default: 1");
  setting("--guesses,--num-speculative-tokens", "speculative_tokens", "N", "tokens guessed ahead in a step; default: 0");
  setting("--accepted", "acceptance_rate", "SHARE", "probability that a guess is right; default: 0.8");
  setting("--memory-share,--gpu-memory-utilization", "memory_utilization", "SHARE",
          "share of a chip's memory that the engine takes; default: 0.92");
  setting("--chunk,--max-num-batched-tokens", "token_budget", "TOKENS", "tokens of prompts computed at once; default: 8,192");
  setting("--overlap", "overlap", "HOW",
          "what hides the network: none, two (micro-batches, one on the wire) or full; default: none");
  app.add_flag("--disaggregated", options.disaggregated, "prompts are computed on chips of their own")->group(group);
  setting("--prompt-layout", "prefill_layout", "LAYOUT",
          "of the chips for prompts (--disaggregated), e.g. 'tp4' or 'dp8 ep8'; default: as the others, in a plan the "
          "best");
  app.add_option("--from", options.pasted,
                 "the command an engine was started with (vLLM, SGLang, TensorRT-LLM), @FILE or - for standard input; "
                 "what is given beside it wins")
      ->type_name("COMMAND")
      ->group(group);
  app.add_flag("--commands", options.commands, "commands that start this layout in vLLM, SGLang and TensorRT-LLM")
      ->group(group);
}

void add_assume(CLI::App& app, Options& options, const char* help) {
  app.add_option("--assume", options.assumptions, help)->type_name("TYPE=KIND")->allow_extra_args(false);
}

void add_set(CLI::App& app, Options& options, const char* help, const char* type) {
  app.add_option("--set", options.sets, help)->type_name(type)->allow_extra_args(false);
}

void add_ranges(CLI::App& app, Options& options) {
  app.add_option("--range", options.ranges, "KEY=LOW..HIGH: bounds of every figure over ranges of inputs")
      ->type_name("RANGE")
      ->allow_extra_args(false);
}

void add_derivation(CLI::App& app, Options& options, const char* help, const char* type) {
  app.add_option("--derive", options.derive, help)->type_name(type);
  app.add_option("--depth", options.depth, "levels of the derivation, 0 for all")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
}

void add_svg(CLI::App& app, Options& options, const char* help) {
  app.add_option("--svg", options.svg_file, help)->type_name("FILE");
}

}  // namespace ridge::cli
