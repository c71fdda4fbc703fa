#include "cli/options.hpp"

#include <iostream>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/layout_options.hpp"
#include "cli/lifecycle_options.hpp"
#include "cli/money_options.hpp"
#include "cli/output_options.hpp"
#include "cli/program.hpp"
#include "cli/sweep_options.hpp"
#include "cli/tier_options.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kMainHelp =
    "Examples:\n"
    "  ridge                                             DeepSeek-V3 on a GB200 NVL72 rack\n"
    "  ridge why llama-3.1-70b --on hgx-h100 --batch 64 --context 4k\n"
    "  ridge why deepseek-v3 --on gb200-nvl72 --kv fp8 --derive cost\n"
    "  ridge why llama-3.1-70b --on hgx-h100 --tp 4 --isl 1k --osl 1k --concurrency 64    serving, calibrated\n"
    "  ridge plan deepseek-v3 --on gb200-nvl72 --isl 8k --osl 1k --tpot 30ms    every layout, and which to choose\n"
    "  ridge curve batch deepseek-v3 --on gb200-nvl72 --svg batch.svg\n"
    "  ridge fit llama-3.1-405b --on hgx-h200 --context 128k\n"
    "  ridge layout deepseek-v3 gb200-nvl72              which experts and layers on which chip and rack\n"
    "  ridge lifecycle                                   pre-training, RL and serving on one bill\n"
    "  ridge price deepseek-v3 --on hgx-h200 --margin 60%    a price sheet from hardware\n"
    "  ridge infer --provider gemini                     and from a price sheet back\n"
    "  ridge activations llama-3-70b --sequence 8Ki      memory of training against compute\n"
    "  ridge tier deepseek-v3 --on hgx-h100              where to keep context between two uses\n"
    "  ridge context; ridge demand deepseek-v3 --on gb200-nvl72    long contexts; users that fill a batch\n"
    "  ridge cost hgx-h100; ridge host llama-3.3-70b --on hgx-h100; ridge price history claude-opus; ridge day\n"
    "  ridge show model deepseek-v3; ridge diff deepseek-v3 kimi-k2\n"
    "  ridge sweep examples/07-sweep.toml --best cost --where 'tpot<5ms'\n"
    "  ridge list models; ridge show h200-sxm; ridge claims\n"
    "Exit codes: 0 answered, 1 our bug, 2 wrong usage, 3 bad input, 4 does not fit, 5 accuracy gate failed.";

constexpr const char* kWhyHelp =
    "Examples:\n"
    "  ridge why deepseek-v3 --on gb200-nvl72 --batch 2048 --context 8k --kv fp8\n"
    "  ridge why qwen3-32b --on hgx-h100 --chips 2 --sensitivity\n"
    "  ridge why deepseek-v3 --on gb200-nvl72 --range 'hbm=6.5..8 TB/s' --range 'price=$2..4/h'\n"
    "  ridge why llama-3-70b --on hgx-h100 --derive cost --depth 0\n"
    "  ridge why deepseek-v3 --on gb200-nvl72 --save case.toml; ridge why case.toml --json\n"
    "  ridge why llama-3.1-70b --on hgx-h100 --tp 4 --isl 1k --osl 1k --concurrency 64 --engine vllm\n"
    "  ridge why deepseek-v3 --on hgx-b200 --dp 8 --ep 8 --isl 8k --osl 1k --rate 4 --engine trtllm\n"
    "  ridge why --from 'vllm serve deepseek-ai/DeepSeek-V3 -tp 8 --max-num-seqs 256' --on hgx-h200 --isl 2k --osl "
    "500\n"
    "  ridge why deepseek-v3 --on hgx-b200 --dp 8 --concurrency 512 --commands\n"
    "  ridge why llama-3-8b --on rtx-4090-1 --set 'hbm.bandwidth=0.9 TB/s' --price '$0.40/h'\n"
    "Numbers take units: 80 GB, 4.8 TB/s, $2.10/h, 20 ms; k is 1,000 and Ki is 1,024 (8k context is 8,000 tokens, 8Ki "
    "is 8,192).";

constexpr const char* kCurveHelp =
    "Kinds: batch, context, chips, sparsity.\n"
    "Examples:\n"
    "  ridge curve batch deepseek-v3 --on gb200-nvl72 --svg batch.svg\n"
    "  ridge curve batch deepseek-v3 --on gb200-nvl72 --y cost --svg cost.svg\n"
    "  ridge curve context llama-3.1-70b --on hgx-h100 --from 1k --to 1M --csv\n"
    "  ridge curve sparsity deepseek-v3 --on gb200-nvl72 --law clark-2022-hash";

constexpr const char* kFitHelp =
    "Examples:\n"
    "  ridge fit llama-3.1-70b --on hgx-h100 --chips 4 --context 32k --batch 8\n"
    "  ridge fit deepseek-v3 --on hgx-h200 --kv fp8\n"
    "  ridge fit --from 'vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2 --max-num-seqs 32' --on hgx-h100\n"
    "Exit code 4 when it does not fit; the ways out are printed.";

/// An empty word is a slip (an unset variable in a script), not "not given".
const CLI::Validator& not_empty() {
  static const CLI::Validator validator(
      [](std::string& text) {
        return text.empty() ? std::string("an empty text; leave the option out instead") : std::string();
      },
      "", "not_empty");
  return validator;
}

/// An option whose text is kept with its key, to be parsed where its errors can be explained.
CLI::Option* add_setting(CLI::App& app, std::vector<std::pair<std::string, std::string>>& into,
                         const std::string& flags, const std::string& key, const std::string& type,
                         const std::string& help) {
  return app
      .add_option_function<std::string>(
          flags, [&into, key](const std::string& text) { into.emplace_back(key, text); }, help)
      ->type_name(type);
}

void add_case_options(CLI::App& app, Options& options) {
  const auto setting = [&](const char* flag, const char* key, const char* type, const char* help) {
    add_setting(app, options.settings, flag, key, type, help);
  };
  setting("--on", "machine", "MACHINE", "machine (ridge list machines)");
  setting("--chips", "chips", "N", "chips sharing the step; default: the machine's scale-up domain");
  setting("--batch", "batch", "N", "sequences decoding at once; default: 2,048, or the largest that fits");
  setting("--context", "context", "TOKENS", "tokens in each sequence; default: 8,192, or the model's limit");
  setting("--weights", "weights", "FORMAT", "format of the weights; default: as released (ridge list formats)");
  setting("--experts", "experts", "FORMAT", "format of the routed experts; default: as --weights");
  setting("--attention", "attention", "FORMAT", "format attention computes in; default: as released");
  setting("--kv", "kv", "FORMAT",
          "format of the stored context; default: as released, or what engines choose when serving");
  setting("--price", "price", "PRICE", "rental, owned, or a price of a chip such as '$2.10/h'; default: rental");
  setting("--utilisation", "utilisation", "SHARE", "share of the paid time in use; default: 1");
  app.add_option("--assume", options.assumptions, "TYPE=KIND: your word for a layer type in a model's file")
      ->type_name("TYPE=KIND")
      ->allow_extra_args(false);
  app.add_option("--set", options.sets, "KEY=VALUE: replace any input (ridge list inputs)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

/// A layout and a load: with any of them the answer is about serving.
void add_serving_options(CLI::App& app, Options& options) {
  const auto setting = [&](const char* flags, const char* key, const char* type, const char* help) {
    add_setting(app, options.serving, flags, key, type, help)->group("Serving: a layout and a load");
  };
  setting("--isl,--input-len", "isl", "TOKENS", "mean length of a prompt; default: 1,024");
  setting("--osl,--output-len", "osl", "TOKENS", "mean length of an answer; default: 1,024");
  setting("--concurrency,--max-concurrency", "concurrency", "N", "requests in flight; default: 64");
  setting("--rate,--request-rate", "rate", "N", "requests a second, instead of --concurrency");
  setting("--cached", "cached", "SHARE", "share of each prompt found in the prefix cache; default: 0");
  setting("--engine", "engine", "NAME", "vllm, sglang, trtllm, atom, ... (ridge list engines); default: vllm");
  setting("--tp,--tensor-parallel-size", "tp", "N", "tensor parallelism; default: the fewest chips that hold it");
  setting("--pp,--pipeline-parallel-size", "pp", "N", "pipeline stages; default: 1");
  setting("--dp,--data-parallel-size", "dp", "N", "attention data parallelism, sharing the experts; default: 1");
  setting("--ep,--expert-parallel-size", "ep", "N",
          "chips over which experts are spread; default: 1, or all with --dp");
  setting("--redundant", "redundant", "N", "experts held twice, to even out the load; default: 0");
  setting("--cp", "cp", "N", "context parallelism; default: 1");
  setting("--replicas", "replicas", "N", "independent copies; default: 1");
  setting("--guesses,--num-speculative-tokens", "guesses", "N", "tokens guessed ahead in a step; default: 0");
  setting("--accepted", "accepted", "SHARE", "probability that a guess is right; default: 0.8");
  setting("--memory-share,--gpu-memory-utilization", "memory-share", "SHARE",
          "share of a chip's memory that the engine takes; default: 0.92");
  setting("--chunk,--max-num-batched-tokens", "chunk", "TOKENS", "tokens of prompts computed at once; default: 8,192");
  setting("--overlap", "overlap", "HOW",
          "what hides the network: none, two (micro-batches, one on the wire) or full; default: none");
  app.add_flag("--disaggregated", options.disaggregated, "prompts are computed on chips of their own")
      ->group("Serving: a layout and a load");
  setting("--prompt-layout", "prompt-layout", "LAYOUT",
          "of the chips for prompts (--disaggregated), e.g. 'tp4' or 'dp8 ep8'; default: as the others, in a plan the "
          "best");
  app.add_option("--from", options.pasted,
                 "the command an engine was started with (vLLM, SGLang, TensorRT-LLM), @FILE or - for standard input; "
                 "what is given beside it wins")
      ->type_name("COMMAND")
      ->group("Serving: a layout and a load");
  app.add_flag("--commands", options.commands, "commands that start this layout in vLLM, SGLang and TensorRT-LLM")
      ->group("Serving: a layout and a load");
}

constexpr const char* kPlanHelp =
    "Every layout that the model has on the machine is tried, with every load that fits and prompts beside decoding or "
    "on\n"
    "chips of their own, laid out as suits them; degrees that are given are held. --weights, --kv, --guesses and "
    "--chunk\n"
    "take several values with commas between them, each tried with each. The cost is the whole bill over the answers' "
    "tokens.\n"
    "Examples:\n"
    "  ridge plan deepseek-v3 --on gb200-nvl72 --isl 8k --osl 1k --ttft 2s --tpot 30ms\n"
    "  ridge plan llama-3.1-70b --on hgx-h100 --tpot 20ms --weights fp8,bf16 --svg frontier.svg --changes\n"
    "  ridge plan deepseek-v3 --on hgx-h200,gb200-nvl72,mi355x-8 --tpot 50ms --max-chips 32\n"
    "  ridge plan gpt-oss-120b --on all --isl 1k --osl 1k --tpot 10ms --objective chips\n"
    "  ridge plan deepseek-v3 --on gb200-nvl72 --tpot 20ms --guesses 0,1,2,3 --chunk 4k,16k\n"
    "Exit code 4 when nothing keeps the promise; the nearest promises that can be kept are printed.";

void add_plan(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("plan", "how to deploy a model: every layout, the frontier, the choice and why");
  app->add_option("MODEL", options.subject,
                  "model (ridge list models), its config.json, folder, .safetensors or .gguf, or a scenario (.toml)");
  const auto setting = [&](const char* flag, const char* key, const char* type, const char* help) {
    add_setting(*app, options.planning, flag, key, type, help);
  };
  setting("--on", "on", "MACHINES", "machines, with commas between them, or all (ridge list machines)");
  setting("--ttft", "ttft", "TIME", "the promise: time to the first token");
  setting("--tpot", "tpot", "TIME", "the promise: time per token after it");
  setting("--objective", "objective", "AIM",
          "cost, latency, chips or energy; default: cost, which also settles ties and chooses the chips for prompts");
  setting("--weights", "weights", "FORMATS", "formats to try, with commas between them; default: as released");
  setting(
      "--max-chips", "max-chips", "N",
      "most chips of a replica, of one that decodes and of one for prompts; default: the scale-up domain, at most 256");
  setting("--pools", "pools", "HOW", "prompts: together, apart or both; default: both");
  setting("--threads", "threads", "N", "default: as many as the processor has, or 1 under mpirun");
  app->add_option("--shard", options.shard, "I/N: search only this part of all layouts, into --out")->type_name("I/N");
  app->add_option("--out", options.out_file, "file for the part (--shard)")->type_name("FILE");
  app->add_option("--parts", options.parts, "files of all parts (--shard): the plan they make together")
      ->type_name("FILE");
  app->add_flag_callback(
      "--changes", [&options] { options.planning.emplace_back("changes", ""); },
      "what more bandwidth, memory, FLOP/s, links, a narrower format or shorter prompts would bring, searched again");
  const auto word = [&](const char* flag, const char* key, const char* type, const char* help) {
    add_setting(*app, options.settings, flag, key, type, help);
  };
  word("--experts", "experts", "FORMAT", "format of the routed experts; default: as --weights");
  setting("--kv", "kv", "FORMATS", "formats of the stored context to try; default: what engines choose on the chip");
  word("--price", "price", "PRICE", "rental, owned, or a price of a chip such as '$2.10/h'; default: rental");
  app->add_option("--assume", options.assumptions, "TYPE=KIND: your word for a layer type in a model's file")
      ->type_name("TYPE=KIND")
      ->allow_extra_args(false);
  add_serving_options(*app, options);
  app->add_option("--svg", options.svg_file, "draw the frontier as SVG")->type_name("FILE");
  add_output_options(*app, options);
  app->footer(kPlanHelp);
}

constexpr const char* kPriceHelp =
    "The calibrated engine says how well chips are used at the reference load; the equations of a sheet do the rest.\n"
    "Examples:\n"
    "  ridge price deepseek-v3 --on hgx-h200 --isl 8k --osl 1k --concurrency 256 --margin 60%\n"
    "  ridge price llama-3.1-70b --on hgx-h100 --margin 30% --utilisation 0.8 --fast-speed 2\n"
    "  ridge price deepseek-v3 --on hgx-h200 --demand 4k:60%,32k:30%,120k:10% --keep 5min,1h --svg price.svg\n"
    "  ridge price deepseek-v3 --on hgx-h200 --set 'cache.fetch=60 GB/s' --litellm\n"
    "  ridge price deepseek-v3 --on hgx-h200 --derive output --depth 0";

CLI::App* add_price(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("price", "a price sheet from a model, a machine, a load and a margin");
  app->add_option("MODEL", options.subject, "model (ridge list models), its config.json, folder or .gguf");
  const auto setting = [&](const char* flag, const char* key, const char* type, const char* help) {
    add_setting(*app, options.planning, flag, key, type, help);
  };
  const auto word = [&](const char* flag, const char* key, const char* type, const char* help) {
    add_setting(*app, options.settings, flag, key, type, help);
  };
  setting("--margin", "margin", "SHARE", "of the price that is not cost; default: 60%");
  setting("--keep", "keep", "TIMES", "times that a cache keeps a write, with commas between them; default: 5min,1h");
  setting("--demand", "demand", "LENGTH:SHARE,...", "tokens by the length of their request; default: log-normal");
  setting("--fast-speed", "fast-speed", "X", "speed of the fast mode over the usual; default: 2.5");
  word("--on", "machine", "MACHINE", "machine (ridge list machines)");
  word("--weights", "weights", "FORMAT", "format of the weights; default: as released (ridge list formats)");
  word("--experts", "experts", "FORMAT", "format of the routed experts; default: as --weights");
  word("--kv", "kv", "FORMAT", "format of the stored context; default: what engines choose on the chip");
  word("--price", "price", "PRICE", "rental, owned, or a price of a chip such as '$2.10/h'; default: rental");
  word("--utilisation", "utilisation", "SHARE", "share of the paid time in use; default: 0.6");
  app->add_option("--set", options.sets, "KEY=VALUE: replace a term of the sheet, e.g. mfu.prefill or cache.hold")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_serving_options(*app, options);
  app->add_option("--derive", options.derive, "print the derivation of a figure, e.g. input, output, cached")
      ->type_name("FIGURE");
  app->add_option("--depth", options.depth, "levels of the derivation, 0 for all")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app->add_flag_callback(
      "--litellm", [&options] { options.format = "litellm"; }, "the sheet as an entry of LiteLLM's price map");
  app->add_option("--svg", options.svg_file, "draw price against speed as SVG")->type_name("FILE");
  add_output_options(*app, options);
  app->footer(kPriceHelp);
  return app;
}

constexpr const char* kInferHelp =
    "Intervals hold every explanation within what is believed (catalog/prior); samples say which are likely.\n"
    "Examples:\n"
    "  ridge infer --provider gemini\n"
    "  ridge infer google/gemini-2.5-pro --prior lecture\n"
    "  ridge infer anthropic/claude-opus-4-6 --fast-speed 2.5 --svg opus.svg\n"
    "  ridge infer --sheet catalog/price/openai.toml --model gpt-4o --set 'active=50G..200G' --set margin=0.3..0.7\n"
    "  ridge infer deepseek/deepseek-reasoner --samples 10M --json\n"
    "  ridge infer --provider deepseek --all";

void add_infer(CLI::App& main, Options& options) {
  CLI::App* app =
      main.add_subcommand("infer", "what a price sheet says of the model and machine behind it, and what it does not");
  app->add_option("SHEET", options.subject,
                  "provider/model of the catalog, its newest sheet or @DATE (ridge list prices)");
  const auto setting = [&](const char* flag, const char* key, const char* type, const char* help) {
    add_setting(*app, options.planning, flag, key, type, help);
  };
  setting("--sheet", "sheet", "FILE", "a file of prices: our TOML or LiteLLM's price map");
  setting("--provider", "provider", "NAME",
          "a provider, or how its models' names begin: its newest sheet that says most");
  setting("--model", "model", "NAME", "of the file or the provider");
  setting("--prior", "prior", "NAME",
          "what is believed before: provider or lecture (catalog/prior); default: provider");
  setting("--fast-speed", "fast-speed", "X", "speed of a fast mode whose sheet does not promise one");
  setting("--samples", "samples", "N", "providers drawn; default: 1M");
  setting("--seed", "seed", "N", "of the random numbers; default: 1");
  app->add_option("--set", options.sets, "KEY=LOW..HIGH or KEY=VALUE: believe something else, e.g. active, kv, margin")
      ->type_name("RANGE")
      ->allow_extra_args(false);
  app->add_flag("--all", options.verbose, "every sheet there is, one line each");
  app->add_flag("--quiet", options.quiet, "no progress on standard error");
  app->add_option("--svg", options.svg_file, "draw how the samples lie as SVG")->type_name("FILE");
  add_output_options(*app, options);
  app->footer(kInferHelp);
}

constexpr const char* kHostHelp =
    "Without --concurrency: the load that makes a token cheapest within --tpot.\n"
    "Examples:\n"
    "  ridge host llama-3.3-70b --on hgx-h100 --weights fp8 --tokens-per-day 2G\n"
    "  ridge host deepseek-v3 --on hgx-h200 --isl 4k --osl 500 --cached 0.5 --svg margin.svg\n"
    "  ridge host gpt-oss-120b --on hgx-h100 --tp 1 --price owned\n"
    "  ridge host llama-3.1-8b --on hgx-h100 --sheet examples/08-your-prices/sheet.toml --json";

void add_host(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("host", "an open model on your own chips against those who sell it");
  app->add_option("MODEL", options.subject, "model (ridge list models)")->required();
  add_setting(*app, options.planning, "--tokens-per-day", "tokens-per-day", "TOKENS",
              "demand, input and output together");
  add_setting(*app, options.planning, "--tpot", "tpot", "TIME", "time per token to promise; default: 50 ms");
  app->add_option("--sheet", options.sheet,
                  "compare with this: a name (ridge list prices), or a file (TOML, or LiteLLM's price map)")
      ->type_name("SHEET");
  const auto word = [&](const char* flag, const char* key, const char* type, const char* help) {
    add_setting(*app, options.settings, flag, key, type, help);
  };
  word("--on", "machine", "MACHINE", "machine (ridge list machines)");
  word("--weights", "weights", "FORMAT", "format of the weights; default: as released (ridge list formats)");
  word("--experts", "experts", "FORMAT", "format of the routed experts; default: as --weights");
  word("--kv", "kv", "FORMAT", "format of the stored context; default: what engines choose on the chip");
  word("--price", "price", "PRICE", "rental, owned, or a price of a chip such as '$2.10/h'; default: rental");
  add_serving_options(*app, options);
  app->add_option("--svg", options.svg_file, "draw margin against cache hits as SVG")->type_name("FILE");
  add_output_options(*app, options);
  app->footer(kHostHelp);
}

void add_why(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("why", "how long a decode step takes, what it costs, and why");
  app->add_option("MODEL", options.subject,
                  "model (ridge list models), its config.json, folder, .safetensors or .gguf, or a scenario (.toml)");
  add_case_options(*app, options);
  add_serving_options(*app, options);
  app->add_flag("--sensitivity", options.sensitivity, "how much each figure moves with each input");
  app->add_option("--range", options.ranges, "KEY=LOW..HIGH: bounds of every figure over ranges of inputs")
      ->type_name("RANGE")
      ->allow_extra_args(false);
  app->add_option("--derive", options.derive,
                  "print the derivation of a figure (ridge list figures), e.g. --derive cost")
      ->type_name("FIGURE");
  app->add_option("--depth", options.depth, "levels of the derivation, 0 for all")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app->add_flag("--csv", options.csv, "figures as CSV");
  app->add_option("--save", options.save_file, "write the resolved scenario, to run again or to mail")
      ->type_name("FILE");
  add_output_options(*app, options);
  app->footer(kWhyHelp);
}

void add_curve(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("curve", "step time and cost along one input");
  app->add_option("KIND", options.subject, "batch, context, chips or sparsity")->required();
  app->add_option("MODEL", options.model, "model, its file, or a scenario (.toml)");
  add_case_options(*app, options);
  app->add_option("--from", options.from, "first value")->type_name("N");
  app->add_option("--to", options.to, "last value")->type_name("N");
  app->add_option("--points", options.points, "number of points")->check(CLI::Range(2, 100000));
  app->add_option("--y", options.y, "what the chart shows: step or cost")->capture_default_str();
  app->add_option("--law", options.law, "along sparsity: law of experts (ridge list laws); default: clark-2022")
      ->type_name("NAME");
  app->add_option("--svg", options.svg_file, "write the chart as SVG")->type_name("FILE");
  app->add_flag("--csv", options.csv, "all figures as CSV");
  add_output_options(*app, options);
  app->footer(kCurveHelp);
}

/// For commands that take a model: it may be a file.
void add_file_options(CLI::App& app, Options& options) {
  app.add_option("--assume", options.assumptions,
                 "TYPE=KIND: your word for a layer type or model type in a file that ridge does not know")
      ->type_name("TYPE=KIND")
      ->allow_extra_args(false);
}

constexpr const char* kShowHelp =
    "A model may be a file: a Hugging Face config.json (- for standard input), its folder, a .safetensors or .gguf "
    "file.\n"
    "Where tensors are present they are counted, and the config is checked against them. No tensor data is read.\n"
    "Examples:\n"
    "  ridge show model deepseek-v3\n"
    "  ridge show model examples/06-your-model/config.json --verbose\n"
    "  ridge show model deepseek-v3 --json\n"
    "  ridge show gb200-nvl72; ridge show C09; ridge show h200-sxm --verbose";

void add_model_commands(CLI::App& main, Options& options) {
  CLI::App* show = main.add_subcommand("show", "one catalog entry; for a model, from a file too, everything counted");
  show->add_option("WHAT", options.subject, "a name, a model's file, or a category (model, machine, ...) before one")
      ->required();
  show->add_option("NAME", options.other, "the name, where WHAT is a category");
  show->add_flag("--verbose", options.verbose,
                 "every value with its source, and the keys of a file that were not needed");
  add_file_options(*show, options);
  add_output_options(*show, options);
  show->footer(kShowHelp);

  CLI::App* diff = main.add_subcommand("diff", "what differs between two models, or two entries of the catalog");
  diff->add_option("A", options.subject, "a model, its file, or another entry")->required();
  diff->add_option("B", options.other, "the other one")->required();
  add_file_options(*diff, options);
  add_output_options(*diff, options);
  diff->footer(
      "Examples:\n  ridge diff deepseek-v3 kimi-k2\n  ridge diff hgx-h100 hgx-h200\n  ridge diff llama-3.1-70b "
      "qwen2.5-72b --json");

  CLI::App* import = main.add_subcommand("import", "a catalog entry from a model's file");
  import->add_option("WHAT", options.subject, "model")->required();
  import->add_option("FILE", options.model, "config.json, its folder, a .safetensors or .gguf file, or -")->required();
  import->add_option("--name", options.name, "name of the entry; default: from the file's name")->type_name("NAME");
  import->add_option("--title", options.title, "title of the entry; default: from the file's name")->type_name("TEXT");
  import->add_option("--source", options.source, "where the file comes from; default: its name")->type_name("TEXT");
  import->add_option("--date", options.date, "when it was fetched, e.g. 2026-08-21")->type_name("DATE");
  import->add_option("--out", options.out_file, "write the entry here; default: standard output")->type_name("FILE");
  import->add_flag("--verbose", options.verbose, "the keys of the file that were not needed");
  add_file_options(*import, options);
  add_output_options(*import, options);
  import->footer(
      "The entry goes into DIR/model/NAME.toml; every command then takes --catalog DIR.\n"
      "Examples:\n"
      "  ridge import model examples/06-your-model --name your-model\n"
      "  ridge import model examples/06-your-model/config.json --name your-model --out your-model.toml");
}

void add_others(CLI::App& main, Options& options) {
  CLI::App* fit = main.add_subcommand("fit", "does it fit, and how much context beside the weights");
  fit->add_option("MODEL", options.subject, "model, its file, or a scenario (.toml)");
  add_case_options(*fit, options);
  add_serving_options(*fit, options);
  add_output_options(*fit, options);
  fit->footer(kFitHelp);

  CLI::App* list = main.add_subcommand("list", "what the catalog holds");
  list->add_option("WHAT", options.subject,
                   "models, machines, chips, formats, sources, laws, claims, inputs, figures, ...");
  add_output_options(*list, options);
  list->footer("Examples:\n  ridge list\n  ridge list machines\n  ridge list models --json");

  CLI::App* claims = main.add_subcommand("claims", "the lecture's statements, computed and judged");
  claims->add_option("ID", options.subject, "one claim, e.g. C09; all without it");
  add_output_options(*claims, options);
  claims->footer("Examples:\n  ridge claims\n  ridge claims C12\n  ridge claims --json");
}

void add_evidence_commands(CLI::App& main, Options& options) {
  const auto add_evidence = [&](CLI::App& app) {
    app.add_option("--evidence", options.evidence_folder,
                   "folder with rows as in catalog/evidence; default: those compiled in")
        ->type_name("DIR");
  };
  CLI::App* validate = main.add_subcommand("validate", "predictions against measured kernels and runs");
  validate
      ->add_option("--leave-one-out", options.leave_out,
                   "fit again without each model, or each chip, and judge what was left out: model, chip or all")
      ->type_name("WHAT");
  validate
      ->add_option("--max-error", options.most_error,
                   "exit with 5 where a mean error of time per token or throughput, or of all that was left out "
                   "together, is above this share")
      ->check(CLI::Range(0.0, 10.0))
      ->type_name("SHARE");
  validate->add_flag("--page", options.page, "as the Markdown page docs/validation.md");
  add_evidence(*validate);
  add_output_options(*validate, options);
  validate->footer(
      "Examples:\n  ridge validate\n  ridge validate --max-error 0.15\n  ridge validate --leave-one-out model\n"
      "  ridge validate --json");

  CLI::App* calibrate = main.add_subcommand("calibrate", "fit chips, kernels and engines to the evidence again");
  calibrate->add_option("--out", options.out_file, "folder to write the entries to; default: standard output")
      ->type_name("DIR");
  add_evidence(*calibrate);
  add_output_options(*calibrate, options);
  calibrate->footer(
      "Fits every chip to the measured kernels and every engine to the measured runs, starting from\n"
      "catalog/calibration/prior.toml. The catalog's own entries were written by: ridge calibrate --out "
      "catalog/calibration\n"
      "Examples:\n  ridge calibrate --out my-catalog/calibration; ridge validate --catalog my-catalog");
}

std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) words.push_back(option->get_name());
  for (const CLI::App* command : app.get_subcommands({})) words.push_back(command->get_name());
  return words;
}

int explain(const CLI::App& main, const CLI::ParseError& error, int count, const char* const* arguments) {
  const CLI::App* app = &main;
  for (const CLI::App* command : main.get_subcommands({})) {
    if (command->parsed()) app = command;
  }
  say(fmt::format("ridge: {}\n", readable(error.what())));
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    const std::string flag = word.substr(0, word.find('='));
    const std::vector<std::string> known = known_words(*app);
    const bool is_known = std::find(known.begin(), known.end(), flag) != known.end();
    const bool first_word = i == 1 && !word.starts_with('-');
    if (is_known || (!word.starts_with("--") && !(first_word && app == &main))) continue;
    if (const auto close = nearest(flag, known, 3); !close.empty())
      say(fmt::format("  hint: did you mean {}?\n", joined(close, " or ")));
  }
  const bool takes_machine = app->get_name() == "why" || app->get_name() == "curve" || app->get_name() == "fit";
  if (takes_machine && !app->remaining().empty() && !app->remaining().front().starts_with('-')) {
    say("  hint: the machine is named with --on, e.g. --on gb200-nvl72\n");
  }
  say(fmt::format("  see: ridge {}--help\n", app == &main ? "" : app->get_name() + " "));
  return 2;
}

}  // namespace

Parsed parse_options(int count, const char* const* arguments) {
  Parsed parsed;
  Options& options = parsed.options;
  CLI::App app("Ridgeline: the math of how large language models are trained and served.", "ridge");
  app.set_version_flag("--version", "ridge " RIDGE_VERSION);
  app.footer(kMainHelp);
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(30);
  add_plan(app, options);
  add_why(app, options);
  add_curve(app, options);
  add_others(app, options);
  add_model_commands(app, options);
  add_layout(app, options);
  add_lifecycle(app, options);
  add_tier(app, options);
  add_sweep(app, options);
  add_evidence_commands(app, options);
  add_price_history(*add_price(app, options), options);
  add_infer(app, options);
  add_cost(app, options);
  add_day(app, options);
  add_host(app, options);
  for (CLI::App* command : app.get_subcommands({})) {
    std::vector<CLI::App*> all = command->get_subcommands({});
    all.push_back(command);
    for (CLI::App* one : all) {
      for (CLI::Option* option : one->get_options()) {
        if (option->get_expected_max() > 0) option->check(not_empty());
      }
    }
  }
  try {
    app.parse(count, arguments);
  } catch (const CLI::Success& answered) {  // --help, --version
    parsed.exit_code = app.exit(answered);
    std::cout.flush();
    if (!std::cout) {
      say("ridge: standard output could not be written\n");
      parsed.exit_code = kBadInput;
    }
  } catch (const CLI::ParseError& error) {
    parsed.exit_code = explain(app, error, count, arguments);
  }
  for (const CLI::App* command : app.get_subcommands()) {
    options.command = command->get_name();
    for (const CLI::App* below : command->get_subcommands()) options.command += " " + below->get_name();
  }
  return parsed;
}

}  // namespace ridge::cli
