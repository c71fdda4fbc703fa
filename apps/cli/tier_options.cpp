#include "cli/tier_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/output_options.hpp"

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

/// Options whose text is kept with a key, to be parsed where their errors can be explained.
class Settings {
 public:
  Settings(CLI::App& app, std::vector<std::pair<std::string, std::string>>& into) : app_(app), into_(into) {}
  void operator()(const char* flag, const char* key, const char* type, const char* help) const {
    app_.add_option_function<std::string>(
            flag, [&into = into_, name = std::string(key)](const std::string& text) { into.emplace_back(name, text); },
            help)
        ->type_name(type);
  }

 private:
  CLI::App& app_;
  std::vector<std::pair<std::string, std::string>>& into_;
};

void add_machine(CLI::App& app, Options& options) {
  const Settings set(app, options.settings);
  set("--on", "machine", "MACHINE", "machine (ridge list machines); default: gb200-nvl72");
  set("--chips", "chips", "N", "chips of it; default: its scale-up domain");
  set("--weights", "weights", "FORMAT", "format of the weights; default: as released");
  set("--kv", "kv", "FORMAT", "format of the stored context; default: as released");
  set("--price", "price", "PRICE", "rental, owned, or a price of a chip such as '$2.10/h'; default: rental");
  set("--utilisation", "utilisation", "SHARE", "share of the paid time in use; default: 1");
  app.add_option("--assume", options.assumptions, "TYPE=KIND: your word for a layer type in a model's file")
      ->type_name("TYPE=KIND")
      ->allow_extra_args(false);
  app.add_option("--set", options.sets, "KEY=VALUE: replace any input (ridge list inputs)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
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
  app->add_option("--derive", options.derive, "print how the costs of a tier come about, e.g. --derive flash")
      ->type_name("TIER");
  app->add_option("--depth", options.depth, "levels of the derivation, 0 for all")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app->add_option("--svg", options.svg_file, "write the chart as SVG")->type_name("FILE");
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
  app->add_option("--svg", options.svg_file, "draw cost against context as SVG")->type_name("FILE");
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
  machine("--context", "context", "TOKENS", "tokens in each sequence; default: 8,192, or the model's limit");
  const Settings set(*app, options.serving);
  set("--per-user", "per-user", "RATE", "tokens a user asks for on average; default: '10k tok/d', assumed");
  set("--streams", "streams", "COUNTS",
      "sequences at once, for the curves of sparsity; default: 64 to 32,768 and any number");
  set("--law", "law", "NAME", "law of experts (ridge list laws); default: clark-2022");
  app->add_option("--svg", options.svg_file, "draw cost against sparsity as SVG")->type_name("FILE");
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
