#include "cli/command_options.hpp"
#include "cli/shared_options.hpp"

namespace ridge::cli {

namespace {

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

}  // namespace

void add_why(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("why", "how long a decode step takes, what it costs, and why");
  app->add_option("MODEL", options.subject,
                  "model (ridge list models), its config.json, folder, .safetensors or .gguf, or a scenario (.toml)");
  add_case_options(*app, options);
  add_serving_options(*app, options);
  app->add_flag("--sensitivity", options.sensitivity, "how much each figure moves with each input");
  add_ranges(*app, options);
  add_derivation(*app, options, "print the derivation of a figure (ridge list figures), e.g. --derive cost");
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
  add_svg(*app, options, "write the chart as SVG");
  app->add_flag("--csv", options.csv, "all figures as CSV");
  add_output_options(*app, options);
  app->footer(kCurveHelp);
}

void add_fit(CLI::App& main, Options& options) {
  CLI::App* fit = main.add_subcommand("fit", "does it fit, and how much context beside the weights");
  fit->add_option("MODEL", options.subject, "model, its file, or a scenario (.toml)");
  add_case_options(*fit, options);
  add_serving_options(*fit, options);
  add_output_options(*fit, options);
  fit->footer(kFitHelp);
}

void add_plan(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("plan", "how to deploy a model: every layout, the frontier, the choice and why");
  app->add_option("MODEL", options.subject,
                  "model (ridge list models), its config.json, folder, .safetensors or .gguf, or a scenario (.toml)");
  const Settings setting(*app, options.planning);
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
  setting.flag(
      "--changes", "changes",
      "what more bandwidth, memory, FLOP/s, links, a narrower format or shorter prompts would bring, searched again");
  const Settings word(*app, options.settings);
  word(kExperts);
  setting("--kv", "kv", "FORMATS", "formats of the stored context to try; default: what engines choose on the chip");
  word(kPrice);
  add_assume(*app, options);
  add_serving_options(*app, options);
  add_svg(*app, options, "draw the frontier as SVG");
  add_output_options(*app, options);
  app->footer(kPlanHelp);
}

}  // namespace ridge::cli
