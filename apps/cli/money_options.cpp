#include "cli/command_options.hpp"
#include "cli/shared_options.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kCostHelp =
    "Examples:\n"
    "  ridge cost hgx-h100\n"
    "  ridge cost gb200-nvl72 --capex '$60000' --life '5 years' --electricity '$0.05/kWh' --utilization 60%\n"
    "  ridge cost hgx-b200 --memory-share 30% --json";

constexpr const char* kDayHelp =
    "Without a name: DeepSeek's day of February 2025.\n"
    "Examples:\n"
    "  ridge day\n"
    "  ridge day deepseek-2025-02 --json";

constexpr const char* kHostHelp =
    "Without --concurrency: the load that makes a token cheapest within --tpot.\n"
    "Examples:\n"
    "  ridge host llama-3.3-70b --on hgx-h100 --weights fp8 --tokens-per-day 2G\n"
    "  ridge host deepseek-v3 --on hgx-h200 --isl 4k --osl 500 --cached 0.5 --svg margin.svg\n"
    "  ridge host gpt-oss-120b --on hgx-h100 --tp 1 --price owned\n"
    "  ridge host llama-3.1-8b --on hgx-h100 --sheet examples/08-your-prices/sheet.toml --json";

constexpr const char* kPriceHelp =
    "The calibrated engine says what tokens cost at every length and load; the equations of a sheet make prices of "
    "it.\n"
    "Examples:\n"
    "  ridge price deepseek-v3 --on hgx-h200 --isl 8k --osl 1k --concurrency 256 --margin 60%\n"
    "  ridge price llama-3.1-70b --on hgx-h100 --margin 30% --utilization 0.8 --fast-speed 2\n"
    "  ridge price deepseek-v3 --on hgx-h200 --demand 4k:60%,32k:30%,120k:10% --keep 5min,1h --svg price.svg\n"
    "  ridge price deepseek-v3 --on hgx-h200 --set 'cache.fetch=60 GB/s' --litellm\n"
    "  ridge price deepseek-v3 --on hgx-h200 --derive output --depth 0";

constexpr const char* kHistoryHelp =
    "A family is words of a model's name, in their order; a provider and a slash before it holds to that one.\n"
    "Examples:\n"
    "  ridge price history claude-opus\n"
    "  ridge price history gemini-pro --svg gemini.svg\n"
    "  ridge price history deepseek --json\n"
    "  ridge price history groq/llama";

constexpr const char* kInferHelp =
    "Intervals hold every explanation within what is believed (catalog/prior); samples say which are likely.\n"
    "Examples:\n"
    "  ridge infer --provider gemini\n"
    "  ridge infer google/gemini-2.5-pro --prior lecture\n"
    "  ridge infer anthropic/claude-opus-4-6 --fast-speed 2.5 --svg opus.svg\n"
    "  ridge infer --sheet catalog/price/openai.toml --model gpt-4o --set 'active=50G..200G' --set margin=0.3..0.7\n"
    "  ridge infer deepseek/deepseek-reasoner --samples 10M --json\n"
    "  ridge infer google/gemini-3-pro-preview --on tpu-v7-pod --weights fp8\n"
    "  ridge infer openai/gpt-4o --machines\n"
    "  ridge infer --provider deepseek --all";

/// `history` below `ridge price`: it is then the command "price history".
void add_price_history(CLI::App& price, Options& options) {
  CLI::App* app = price.add_subcommand("history", "how the prices of a family of models moved");
  app->add_option("FAMILY", options.subject, "e.g. claude-opus, gemini-pro, deepseek, groq/llama")->required();
  add_svg(*app, options, "draw prices against time as SVG");
  add_output_options(*app, options);
  app->footer(kHistoryHelp);
}

}  // namespace

void add_cost(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("cost", "a chip's hour, rented or owned, and what it is made of");
  app->add_option("MACHINE", options.subject, "machine (ridge list machines)")->required();
  const Settings setting(*app, options.settings);
  setting("--capex", "capex", "MONEY", "price of a chip with its share of the rack; default: the catalog's");
  setting("--life", "life", "TIME", "in service; default: the catalog's");
  setting("--power", "power", "POWER", "of a chip with its share of the rack; default: the catalog's");
  setting("--pue", "pue", "X", "power of the building over that of the machines; default: the catalog's");
  setting("--electricity", "electricity", "PRICE", "of energy, e.g. '$0.08/kWh'; default: the catalog's");
  setting("--cost-of-capital", "cost-of-capital", "SHARE", "a year; default: the catalog's");
  setting("--utilization", "utilization", "SHARE", "of the time in use; default: 1");
  setting("--memory-share", "memory-share", "SHARE", "of the capital that is memory; default: what claim C31 says");
  add_output_options(*app, options);
  app->footer(kCostHelp);
}

void add_day(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("day", "a published day of serving: what it cost, what it would have earned");
  app->add_option("DAY", options.subject, "entry of catalog/day; default: the first");
  add_output_options(*app, options);
  app->footer(kDayHelp);
}

void add_host(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("host", "an open model on your own chips against those who sell it");
  app->add_option("MODEL", options.subject, "model (ridge list models)")->required();
  const Settings setting(*app, options.planning);
  setting("--tokens-per-day", "tokens-per-day", "TOKENS", "demand, input and output together");
  setting("--tpot", "tpot", "TIME", "time per token to promise; default: 50 ms");
  app->add_option("--sheet", options.sheet,
                  "compare with this: a name (ridge list prices), or a file (TOML, or LiteLLM's price map)")
      ->type_name("SHEET");
  const Settings word(*app, options.settings);
  word(kMachine);
  word(kWeights);
  word(kExperts);
  word(kKv.otherwise("what engines choose on the chip"));
  word(kPrice);
  add_serving_options(*app, options, {.in_flight = "the cheapest within --tpot"});
  add_svg(*app, options, "draw margin against cache hits as SVG");
  add_output_options(*app, options);
  app->footer(kHostHelp);
}

void add_price(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("price", "a price sheet from a model, a machine, a load and a margin");
  app->add_option("MODEL", options.subject, "model (ridge list models), its config.json, folder or .gguf");
  const Settings setting(*app, options.planning);
  const Settings word(*app, options.settings);
  setting("--margin", "margin", "SHARE", "of the price that is not cost; default: 60%");
  setting("--keep", "keep", "TIMES", "times that a cache keeps a write, with commas between them; default: 5min,1h");
  setting("--demand", "demand", "LENGTH:SHARE,...",
          "input tokens by the length of their prompt; default: log-normal around --isl");
  setting("--fast-speed", "fast-speed", "X", "speed of the fast mode over the usual; default: 2.5");
  setting("--tpot", "tpot", "TIME", "time per token to promise, where no load is given; default: 50 ms");
  word(kMachine);
  word(kWeights);
  word(kExperts);
  word(kKv.otherwise("what engines choose on the chip"));
  word(kPrice);
  word(kUtilization.otherwise("0.6"));
  add_set(*app, options, "KEY=VALUE: replace a term of the sheet, e.g. mfu.prefill or cache.hold");
  add_serving_options(*app, options,
                      {.prompt = "as in the Mooncake trace",
                       .answer = "as in the Mooncake trace",
                       .in_flight = "the cheapest within --tpot"});
  add_derivation(*app, options, "print the derivation of a figure, e.g. input, output, cached");
  app->add_flag_callback(
      "--litellm", [&options] { options.format = "litellm"; }, "the sheet as an entry of LiteLLM's price map");
  add_svg(*app, options, "draw price against speed as SVG");
  add_output_options(*app, options);
  app->footer(kPriceHelp);
  add_price_history(*app, options);
}

void add_infer(CLI::App& main, Options& options) {
  CLI::App* app =
      main.add_subcommand("infer", "what a price sheet says of the model and machine behind it, and what it does not");
  app->add_option("SHEET", options.subject,
                  "provider/model of the catalog, its newest sheet or @DATE (ridge list prices)");
  const Settings setting(*app, options.planning);
  setting("--sheet", "sheet", "FILE",
          "a file of prices: our TOML, an answer of ridge price --json, or LiteLLM's price map");
  setting("--provider", "provider", "NAME",
          "a provider, or how its models' names begin: its newest sheet that says most");
  setting("--model", "model", "NAME", "of the file or the provider");
  setting("--prior", "prior", "NAME",
          "what is believed before: provider or lecture (catalog/prior); default: provider");
  setting("--fast-speed", "fast-speed", "X", "speed of a fast mode whose sheet does not promise one");
  const Settings word(*app, options.settings);
  word(kMachine.otherwise("any within what is believed"));
  word(kWeights.otherwise("any that the machine computes in"));
  app->add_flag("--machines", options.machines,
                "each machine of the catalog that could stand behind it, and the size then");
  setting("--samples", "samples", "N", "providers drawn; default: 1M");
  setting("--seed", "seed", "N", "of the random numbers; default: 1");
  add_set(*app, options, "KEY=LOW..HIGH or KEY=VALUE: believe something else, e.g. active, kv, margin", "RANGE");
  app->add_flag("--all", options.verbose, "every sheet there is, one line each");
  app->add_flag("--quiet", options.quiet, "no progress on standard error");
  add_svg(*app, options, "draw how the samples lie as SVG");
  add_output_options(*app, options);
  app->footer(kInferHelp);
}

}  // namespace ridge::cli
