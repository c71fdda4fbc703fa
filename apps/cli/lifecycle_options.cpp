#include "cli/command_options.hpp"
#include "cli/shared_options.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kLifecycleHelp =
    "Without options: the lecture's model, 100 billion active parameters that serve 50 million tokens a second for two "
    "months.\n"
    "Examples:\n"
    "  ridge lifecycle\n"
    "  ridge lifecycle --params 100G --tokens 200T --served '50M tok/s' --for '60 days'\n"
    "  ridge lifecycle deepseek-v3 --tokens 14.8T --served '1M tok/s' --for '180 days' --on hgx-h100\n"
    "  ridge lifecycle --params 13G --loss 2.05 --served '100k tok/s' --for '1 year' --law hoffmann-2022-tex\n"
    "  ridge lifecycle --budget '$1G' --svg life.svg\n"
    "  ridge lifecycle --range 'served=20..100 Mtok/s' --range 'life=60..365 days'\n"
    "  ridge lifecycle --sensitivity; ridge lifecycle --derive best_params --depth 0\n"
    "  ridge lifecycle --params 37G --experts 256 --per-token 8 --json\n"
    "Numbers take units; k M G T are 10^3, 10^6, 10^9, 10^12 (B is bytes: write 100G for 100 billion).";

constexpr const char* kActivationsHelp =
    "Examples:\n"
    "  ridge activations llama-3-70b --sequence 8Ki --batch 1\n"
    "  ridge activations deepseek-v3 --sequence 4Ki --batch 8\n"
    "  ridge activations llama-3-8b --sequence 128Ki --json\n"
    "  ridge activations examples/06-your-model/config.json --dropout";

void add_lifecycle_command(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand(
      "lifecycle", "pre-training, reinforcement learning and serving on one bill, and the size that makes it least");
  app->add_option("MODEL", options.subject, "model whose active parameters and experts count; or --params");
  const Settings set(*app, options.settings);
  set("--params", "params", "N", "parameters a token uses; default: 100G");
  set("--experts", "experts", "N", "experts in a layer, for the dense model that is as good; default: none");
  set("--per-token", "per-token", "N", "of them, those a token uses; default: 1");
  set("--multiple", "multiple", "X", "that dense model over the parameters used, instead of a law; default: 1");
  set("--tokens", "tokens", "TOKENS", "pre-training tokens; default: as dear as serving");
  set("--loss", "loss", "LOSS", "loss to reach, instead of --tokens");
  set("--rl-tokens", "rl_tokens", "TOKENS", "tokens of reinforcement learning; default: as dear as serving");
  set("--trained", "rl.trained", "SHARE", "share of the rollouts that are trained on; default: 0.5");
  set("--references", "rl.references", "N", "forward passes of other models over the rollouts; default: 0");
  set("--served", "served", "RATE", "tokens served a second, on average; default: 50 Mtok/s");
  set("--for", "life", "TIME", "time in service; default: 60 days");
  set("--prompts", "prompts", "SHARE", "share of the served tokens that are prompts; default: 0");
  set("--mfu", "mfu.training", "SHARE", "share of the peak in training; default: 0.42");
  set("--decode-mfu", "mfu.decode", "SHARE", "share of the peak in decoding; default: 0.14");
  set("--prefill-mfu", "mfu.prefill", "SHARE", "share of the peak in reading prompts; default: 0.42");
  set("--budget", "budget", "MONEY",
      "what all of it may cost: '$1G', or FLOP at training's share; default: the plan's cost");
  set("--law", "law", "NAME", "scaling law (ridge list laws); default: besiroglu-2024");
  set("--on", "machine", "MACHINE", "machine, for peak and price; default: gb200-nvl72");
  set(kPrice);
  add_set(*app, options, "KEY=VALUE: replace any input (ridge list lifecycle-inputs)");
  add_ranges(*app, options);
  app->add_flag("--sensitivity", options.sensitivity, "how much each figure moves with each input");
  add_derivation(*app, options, "print the derivation of a figure (ridge list lifecycle-figures)");
  add_svg(*app, options, "draw cost against size as SVG");
  add_assume(*app, options);
  add_output_options(*app, options);
  app->footer(kLifecycleHelp);
}

void add_activations(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand(
      "activations", "memory the backward pass needs, against compute: keep, recompute, checkpoint, reverse");
  app->add_option("MODEL", options.subject,
                  "model (ridge list models), its config.json, folder, .safetensors or .gguf");
  const Settings set(*app, options.settings);
  set("--sequence", "sequence", "TOKENS", "tokens in each sequence; default: 8,192");
  set("--batch", "batch", "N", "sequences in a step; default: 1");
  set.flag("--dropout", "dropout", "count the masks of dropout, as GPT-3 had");
  add_assume(*app, options);
  add_output_options(*app, options);
  app->footer(kActivationsHelp);
}

}  // namespace

void add_lifecycle(CLI::App& main, Options& options) {
  add_lifecycle_command(main, options);
  add_activations(main, options);
}

}  // namespace ridge::cli
