#pragma once
// Options that several commands have: a flag means the same everywhere, so it is written once.

#include <initializer_list>

#include "cli/command.hpp"

namespace ridge::cli {

inline constexpr std::string_view kUsual = "What most people need";

inline constexpr Option kModelName{"MODEL", "model", "MODEL",
                                   "model (ridge list models), its config.json, folder, .safetensors or .gguf file"};
inline constexpr Option kModelOrScenario{
    "MODEL", "model", "MODEL",
    "model (ridge list models), its config.json, folder, .safetensors or .gguf file, or a scenario (.toml)"};

inline constexpr Option kMachine{"--on", "machine", "MACHINE", "machine (ridge list machines)", "", Reads::scenario};
inline constexpr Option kChips{
    "--chips", "chips", "N", "chips that share the step", "the machine's scale-up domain", Reads::scenario};
inline constexpr Option kBatch{"--batch",      "batch", "N", "sequences in a step", "2,048, or the largest that fits",
                               Reads::scenario};
inline constexpr Option kContext{
    "--context", "context", "TOKENS", "tokens in each sequence", "8,192, or the model's limit", Reads::scenario};
inline constexpr Option kWeights{"--weights",   "weights",      "FORMAT", "format of the weights (ridge list formats)",
                                 "as released", Reads::scenario};
inline constexpr Option kExperts{"--experts",    "experts",      "FORMAT", "format of the routed experts",
                                 "as --weights", Reads::scenario};
inline constexpr Option kAttention{"--attention", "attention",    "FORMAT", "format that attention computes in",
                                   "as released", Reads::scenario};
inline constexpr Option kKv{"--kv,--kv-cache-dtype",  "kv",          "FORMAT",
                            "format of the KV cache", "as released", Reads::scenario};
inline constexpr Option kPrice{
    "--price", "price", "PRICE", "of a chip, such as '$2.10/h'", "the catalog's, on --price-basis", Reads::scenario};
inline constexpr Option kPriceBasis{
    "--price-basis", "price_basis",  "BASIS", "what chips are paid by: on-demand, reserved-1y, reserved-3y or owned",
    "reserved-3y",   Reads::scenario};
inline constexpr Option kUtilization{"--utilization", "utilization", "SHARE", "share of the paid time in use", "1",
                                     Reads::scenario};

inline constexpr Option kTpot{"--tpot", "tpot", "TIME", "SLO: time per output token, at most"};
inline constexpr Option kConfidence{"--confidence", "confidence", "SHARE",
                                    "that the SLO holds, by our errors on runs left out of the fit", "90%"};
inline constexpr Option kAssume{
    "--assume",  "assume",
    "TYPE=KIND", "your word for a layer type or model type in a file that ridge does not know, or KEY=ignored",
    "",          Reads::command,
    true};
inline constexpr Option kSet{
    "--set", "set", "KEY=VALUE", "replace any input (ridge list inputs); may be given again", "", Reads::command, true};
inline constexpr Option kRange{
    "--range", "range", "KEY=LOW..HIGH", "an input lies between these; may be given again", "", Reads::command, true};
inline constexpr Option kSensitivity{"--sensitivity", "sensitivity", "", "how much each figure moves with each input"};
inline constexpr Option kDerive{"--derive", "derive", "FIGURE", "print the derivation of a figure, e.g. --derive cost"};
inline constexpr Option kDepth{
    "--depth", "depth", "N", "levels of the derivation, 0 for all", "3", Reads::command, false, false, 0, 100};
inline constexpr Option kSvg{"--svg", "svg", "FILE", "write the chart as SVG"};
inline constexpr Option kCsv{"--csv", "csv", "", "all figures as CSV"};
inline constexpr Option kJson{"--json", "json", "", "answer as JSON (docs/json.md)"};
inline constexpr Option kPlain{"--plain", "plain", "", "no colors and ASCII only"};
inline constexpr Option kCatalog{"--catalog", "catalog", "DIR",
                                 "folder whose entries add to or replace the built-in ones"};
inline constexpr Option kVerbose{"--verbose,-v", "verbose", "",
                                 "every value with its source, and the keys of a file that were not needed"};
inline constexpr Option kDetails{"--verbose,-v", "verbose", "", "all of the answer, and not its headline alone"};
inline constexpr Option kOut{"--out", "out", "FILE", "file to write", "standard output"};
inline constexpr Option kShard{"--shard", "shard", "I/N", "only part I of N"};
inline constexpr Option kThreads{"--threads",    "threads", "N",   "threads", "all, or one in each process of mpirun",
                                 Reads::command, false,     false, 1,         1024};
inline constexpr Option kQuiet{"--quiet", "quiet", "", "no progress on standard error"};
inline constexpr Option kFrom{"--from", "from", "COMMAND",
                              "the command an engine was started with (vLLM, SGLang, TensorRT-LLM), @FILE or - for "
                              "standard input; what is given beside it wins"};
inline constexpr Option kCommands{"--commands", "commands", "",
                                  "commands that start this layout in vLLM, SGLang and TensorRT-LLM"};

/// What a command takes for a load that is not given.
struct UsualLoad {
  std::string_view isl = "1,024", osl = "1,024", concurrency = "64";
};

/// isl, osl, concurrency, rate, cached.
OptionGroup load_options(const UsualLoad& usual = {});
/// tp, pp, dp, ep, cp, redundant experts, replicas, disaggregated, prefill layout.
OptionGroup layout_options();
/// engine, memory, token budget, speculative tokens, overlap.
OptionGroup engine_options();
/// weights, experts, kv: for a command about serving.
OptionGroup serving_formats();
/// What a step or a deployment is asked about, then a command's own: `ridge why` and `ridge fit`.
std::vector<OptionGroup> step_options(std::initializer_list<OptionGroup> own);
/// Some of a command's own, then --json, --plain.
OptionGroup output_options(std::initializer_list<Option> own = {});
/// Some of a command's own, then --catalog.
OptionGroup rare_options(std::initializer_list<Option> own = {});

/// A group without some fields.
OptionGroup without(OptionGroup group, std::initializer_list<std::string_view> keys);

}  // namespace ridge::cli
