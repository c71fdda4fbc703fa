#include "cli/money_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/output_options.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kCostHelp =
    "Examples:\n"
    "  ridge cost hgx-h100\n"
    "  ridge cost gb200-nvl72 --capex '$60000' --life '5 years' --electricity '$0.05/kWh' --utilisation 60%\n"
    "  ridge cost hgx-b200 --memory-share 30% --json";

constexpr const char* kDayHelp =
    "Without a name: DeepSeek's day of February 2025.\n"
    "Examples:\n"
    "  ridge day\n"
    "  ridge day deepseek-2025-02 --json";

constexpr const char* kHistoryHelp =
    "A family is words of a model's name, in their order; a provider and a slash before it holds to that one.\n"
    "Examples:\n"
    "  ridge price history claude-opus\n"
    "  ridge price history gemini-pro --svg gemini.svg\n"
    "  ridge price history deepseek --json\n"
    "  ridge price history groq/llama";

void setting(CLI::App& app, Options& options, const std::string& key, const std::string& type,
             const std::string& help) {
  app.add_option_function<std::string>(
         "--" + key, [&options, key](const std::string& text) { options.settings.emplace_back(key, text); }, help)
      ->type_name(type);
}

}  // namespace

void add_cost(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("cost", "a chip's hour, rented or owned, and what it is made of");
  app->add_option("MACHINE", options.subject, "machine (ridge list machines)")->required();
  setting(*app, options, "capex", "MONEY", "price of a chip with its share of the rack; default: the catalog's");
  setting(*app, options, "life", "TIME", "in service; default: the catalog's");
  setting(*app, options, "power", "POWER", "of a chip with its share of the rack; default: the catalog's");
  setting(*app, options, "pue", "X", "power of the building over that of the machines; default: the catalog's");
  setting(*app, options, "electricity", "PRICE", "of energy, e.g. '$0.08/kWh'; default: the catalog's");
  setting(*app, options, "cost-of-capital", "SHARE", "a year; default: the catalog's");
  setting(*app, options, "utilisation", "SHARE", "of the time in use; default: 1");
  setting(*app, options, "memory-share", "SHARE", "of the capital that is memory; default: what claim C31 says");
  add_output_options(*app, options);
  app->footer(kCostHelp);
}

void add_day(CLI::App& main, Options& options) {
  CLI::App* app = main.add_subcommand("day", "a published day of serving: what it cost, what it would have earned");
  app->add_option("DAY", options.subject, "entry of catalog/day; default: the first");
  add_output_options(*app, options);
  app->footer(kDayHelp);
}

void add_price_history(CLI::App& price, Options& options) {
  CLI::App* app = price.add_subcommand("history", "how the prices of a family of models moved");
  app->add_option("FAMILY", options.subject, "e.g. claude-opus, gemini-pro, deepseek, groq/llama")->required();
  app->add_option("--svg", options.svg_file, "draw prices against time as SVG")->type_name("FILE");
  add_output_options(*app, options);
  app->footer(kHistoryHelp);
}

}  // namespace ridge::cli
