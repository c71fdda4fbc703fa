#include "cli/options.hpp"

#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/command_options.hpp"
#include "cli/program.hpp"

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

/// An empty word is a slip (an unset variable in a script), not "not given".
const CLI::Validator& not_empty() {
  static const CLI::Validator validator(
      [](std::string& text) {
        return text.empty() ? std::string("an empty text; leave the option out instead") : std::string();
      },
      "", "not_empty");
  return validator;
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
  add_fit(app, options);
  add_lists(app, options);
  add_model_commands(app, options);
  add_layout(app, options);
  add_lifecycle(app, options);
  add_tier(app, options);
  add_sweep(app, options);
  add_evidence_commands(app, options);
  add_price(app, options);
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
