#include "cli/command_options.hpp"
#include "cli/shared_options.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kTierHelp =
    "What it costs to keep context between two uses: in the chip's memory, beside it, or nowhere (computed again).\n"
    "Tiers are data (ridge list tiers; ridge show tier flash), and so are curves of re-use.\n"
    "Examples:\n"
    "  ridge tier\n"
    "  ridge tier llama-3.1-70b --on hgx-h100 --context 32k --svg tiers.svg\n"
    "  ridge tier deepseek-v3 --on hgx-h100 --chart map --svg map.svg\n"
    "  ridge tier deepseek-v3 --on gb200-nvl72 --tariff 'input=$5/Mtok,hit=$0.50/Mtok,5min=$6.25/Mtok,1h=$10/Mtok'\n"
    "  ridge tier llama-3.1-70b --on hgx-h100 --tariff anthropic/claude-opus-5\n"
    "  ridge tier --active 100G --kv-bytes '2 kB/token' --on gb200-nvl72 --waiting 1\n"
    "  ridge tier deepseek-v3 --on hgx-h100 --reuse agent --chance 0.5 --json\n"
    "  ridge tier deepseek-v3 --on hgx-h100 --derive flash";

constexpr const char* kContextHelp =
    "Examples:\n"
    "  ridge context\n"
    "  ridge context llama-3.1-70b,deepseek-v3.2 --on hgx-h200 --svg context.svg\n"
    "  ridge context deepseek-v3,qwen3-next-80b-a3b --kv fp8 --session 10M --json\n"
    "One model in detail: ridge curve context MODEL --to 100M.";

constexpr const char* kDemandHelp =
    "Examples:\n"
    "  ridge demand deepseek-v3 --on gb200-nvl72 --kv fp8\n"
    "  ridge demand llama-3.1-70b --on hgx-h100 --batch 64 --context 4k\n"
    "  ridge demand deepseek-v3 --on gb200-nvl72 --streams 100,1k,10k,100k --svg users.svg";

void add_machine(CLI::App& app, Options& options) {
  const Settings set(app, options.settings);
  set(kMachine.otherwise("gb200-nvl72"));
  set("--chips", "chips", "N", "chips of it; default: its scale-up domain");
  set(kWeights);
  set(kKv);
  set(kPrice);
  set(kUtilization);
  add_assume(app, options);
  add_set(app, options);
}

void add_tier_command(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("tier", "where to keep context between two uses of it, and what that costs");
  app->add_option("MODEL", options.subject, "model or its file; default: deepseek-v3; or --active and --kv-bytes");
  add_machine(*app, options);
  const Settings set(*app, options.serving);
  set("--context", "context", "TOKENS", "tokens of context; default: 8,192");
  set("--active", "active", "PARAMS", "parameters a token uses, instead of the model's");
  set("--kv-bytes", "kv-bytes", "BYTES", "context stored for a token, instead of the model's: '2 kB/token'");
  set("--chance", "chance", "SHARE", "chance that what is kept is used, for the times of break-even; default: 1");
  set("--waiting", "waiting", "SHARE", "share of a fetch in which the chips do nothing else; default: 0");
  set("--reuse", "reuse", "NAME", "curve of re-use (ridge list reuse); default: mooncake-conversation");
  set("--tiers", "tiers", "NAMES", "with commas between them (ridge list tiers); default: all that the machine has");
  set("--tariff", "tariff", "PRICES",
      "a price sheet of the catalog (ridge price history), or prices: input=..., hit=..., and writes by time kept, "
      "5min=...,1h=..., or hold=$4.50/Mtok/h");
  set("--chart", "chart", "WHAT", "cost, map or fleet; default: cost");
  add_derivation(*app, options, "print how the costs of a tier come about, e.g. --derive flash", "TIER");
  add_svg(*app, options, "write the chart as SVG");
  add_output_options(*app, options);
  app->footer(kTierHelp);
}

void add_context_command(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand(
      "context", "what a token costs as the context grows, models side by side; very long sessions");
  app->add_option("MODELS", options.subject,
                  "models with commas between them; default: full, latent, windowed, sparse and linear attention");
  add_machine(*app, options);
  const Settings set(*app, options.serving);
  set("--from", "from", "TOKENS", "first context; default: 1k");
  set("--to", "to", "TOKENS", "last context; default: 100M");
  set("--session", "session", "TOKENS", "context of the one long session; default: 100M");
  add_svg(*app, options, "draw cost against context as SVG");
  add_output_options(*app, options);
  app->footer(kContextHelp);
}

void add_demand_command(CLI::App& main, Options& options) {
  CLI::App* app =
      main.add_subcommand("demand", "how many users keep a deployment busy, and what sparsity they pay for");
  app->add_option("MODEL", options.subject, "model or its file; default: deepseek-v3 on gb200-nvl72");
  add_machine(*app, options);
  const Settings machine(*app, options.settings);
  machine("--batch", "batch", "N", "sequences at once; default: the batch that balances compute and memory");
  machine(kContext);
  const Settings set(*app, options.serving);
  set("--per-user", "per-user", "RATE", "tokens a user asks for on average; default: '10k tok/d', assumed");
  set("--streams", "streams", "COUNTS",
      "sequences at once, for the curves of sparsity; default: 64 to 32,768 and any number");
  set("--law", "law", "NAME", "law of experts (ridge list laws); default: clark-2022");
  add_svg(*app, options, "draw cost against sparsity as SVG");
  add_output_options(*app, options);
  app->footer(kDemandHelp);
}

}  // namespace

void add_tier(CLI::App& main, Options& options) {
  add_tier_command(main, options);
  add_context_command(main, options);
  add_demand_command(main, options);
}

}  // namespace ridge::cli
