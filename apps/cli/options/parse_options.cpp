// The only file that knows CLI11: makes a parser of the table, and arguments of what it read.

#include "cli/options/parse_options.hpp"

#include <algorithm>
#include <iostream>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text/period_text.hpp"
#include "base/text/text.hpp"
#include "cli/options/help.hpp"
#include "cli/options/old_flags.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/program.hpp"
#include "cli/version.hpp"

namespace ridge::cli {

namespace {

/// A flag where a value should be: the value was forgotten.
std::string not_a_flag(const Option& option, const std::string& text) {
  const bool is_path = option.type.starts_with("FILE") || option.type == "DIR";
  const bool looks_so = text.starts_with("--") && text.find_first_of(" \t\n") == std::string::npos;
  const bool path_looks_so = is_path && text.starts_with('-') && text != "-";
  if (!option.is_flag() || !(looks_so || path_looks_so)) return "";
  return fmt::format("{} is missing: \"{}\" is an option{}", option.type, shortened(text),
                     is_path ? fmt::format("; for a file of that name write ./{}", shortened(text)) : "");
}

void add_option(CLI::App& app, const Option& option) {
  const std::string names(option.flags);
  if (option.is_switch()) {
    app.add_flag(names)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    return;
  }
  // results are read from the parser itself, in the order of the table
  CLI::Option* made = app.add_option(names, [](const CLI::results_t&) { return true; });
  made->type_name(std::string(option.type))->required(option.required);
  if (option.again && (!option.is_flag() || option.type.ends_with("..."))) {
    made->expected(1, 1000000)->allow_extra_args(true);
  } else if (option.again) {
    made->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  } else {
    made->expected(1);
  }
  made->check([&option](const std::string& text) {
    if (const std::string flag = not_a_flag(option, text); !flag.empty()) return flag;
    return wrong_text(option, text);
  });
}

/// What the parser found for the options of a command.
void collect(const CLI::App& app, const Command& command, Arguments& arguments) {
  arguments.command = &command;
  for (const OptionGroup& group : command.groups) {
    for (const Option& option : group.options) {
      const CLI::Option* made = app.get_option(std::string(option.is_flag() ? option.flag() : option.flags));
      if (made->count() == 0) continue;
      if (option.is_switch()) {
        arguments.given.push_back({std::string(option.key), "true", option.by});
        continue;
      }
      for (const std::string& text : made->results())
        arguments.given.push_back({std::string(option.key), text, option.by});
    }
  }
}

/// The command that was named, as far as the words go; null: none.
const CLI::App* parsed_command(const CLI::App& main) {
  const CLI::App* app = nullptr;
  for (const CLI::App* one : main.get_subcommands()) {
    app = one;
    for (const CLI::App* below : one->get_subcommands()) app = below;
  }
  return app;
}

std::string full_name(const CLI::App& app) {
  const CLI::App* above = app.get_parent();
  const bool is_below = above != nullptr && above->get_parent() != nullptr;
  return (is_below ? above->get_name() + " " : "") + app.get_name();
}

std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  for (const CLI::App* command : app.get_subcommands({})) words.push_back(command->get_name());
  return words;
}

/// Where it is wrong and what, in our words; a word that nobody expected is the most common slip.
std::string slip(const CLI::App& app, const std::string& name, const CLI::ParseError& error) {
  const std::vector<std::string> extra = app.remaining();
  const bool unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extra.empty();
  if (!unexpected) return fmt::format("ridge: {}", readable(error.what()));
  const std::string word = shortened(extra.front());
  const std::string command = name.empty() ? "ridge" : "ridge " + name;
  if (word.starts_with('-')) return fmt::format("{}: {} has no such option", word, command);
  if (name.empty()) return fmt::format("COMMAND: there is no command \"{}\"", word);
  return fmt::format("{}: one word more than {} takes", in_sight(word), command);
}

/// "--rate '50 req/s'": an amount for a time, as it has to be written where the shell took it apart; else empty.
std::string torn_apart(const std::string& extra, int count, const char* const* words) {
  for (int i = 3; i < count; ++i) {
    const std::string flag = words[i - 2];
    if (words[i] != extra || !flag.starts_with("--") || flag.find('=') != std::string::npos) continue;
    std::string whole = words[i - 1];
    for (int j = i; j < count && words[j][0] != '-'; ++j) whole += std::string(" ") + words[j];
    const auto parts = counted_by_period(whole);
    if (parts && period_named(parts->period)) return fmt::format("{} '{}'", flag, shortened(whole));
  }
  return "";
}

int explain(const CLI::App& main, const CLI::ParseError& error, int count, const char* const* words) {
  const CLI::App* parsed = parsed_command(main);
  const CLI::App& app = parsed == nullptr ? main : *parsed;
  const std::string name = parsed == nullptr ? "" : full_name(app);
  say(slip(app, name, error) + "\n");
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::string flag = word.substr(0, word.find('='));
    const std::vector<std::string> known = known_words(app);
    const bool is_known = std::find(known.begin(), known.end(), flag) != known.end();
    const bool first_word = i == 1 && !word.starts_with('-');
    if (is_known || (!word.starts_with("--") && !(first_word && parsed == nullptr))) continue;
    if (const auto hint = hint_for(name, flag)) {
      say(fmt::format("  hint: {}\n", *hint));
    } else if (const auto close = nearest(flag, known, 3); !close.empty()) {
      say(fmt::format("  hint: did you mean {}?\n", joined(close, " or ")));
    } else if (first_word) {
      std::vector<std::string> names;
      for (const Command& command : commands()) names.emplace_back(command.name);
      say(fmt::format("  hint: {}\n", suggestion(word, names)));
    }
  }
  if (parsed != nullptr && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    say("  hint: " + usage(command_named(name)));
  const bool takes_machine = parsed != nullptr && app.get_option_no_throw("--on") != nullptr;
  if (parsed != nullptr && !app.remaining().empty() && !app.remaining().front().starts_with('-')) {
    if (const std::string torn = torn_apart(app.remaining().front(), count, words); !torn.empty()) {
      say(fmt::format("  hint: words of one value stand in quotes: {}\n", torn));
    } else if (takes_machine) {
      say("  hint: the machine is named with --on, e.g. --on gb200-nvl72\n");
    }
  }
  say(fmt::format("  see: ridge {}--help\n", name.empty() ? "" : name + " "));
  return kWrongUsage;
}

/// Options are made only for a command whose word is there: no other can be meant, and all of them take longer than an answer.
void add_command(CLI::App& main, const Command& command, const std::vector<std::string_view>& words) {
  const std::string name(command.name);
  const std::size_t space = name.find(' ');
  CLI::App& above = space == std::string::npos ? main : *main.get_subcommand(name.substr(0, space));
  const std::string own_word = name.substr(space == std::string::npos ? 0 : space + 1);
  CLI::App* app = above.add_subcommand(own_word);
  app->formatter_fn(
      [&command](const CLI::App*, const std::string&, CLI::AppFormatMode) { return command_help(command); });
  if (std::find(words.begin(), words.end(), own_word) == words.end()) return;
  for (const OptionGroup& group : command.groups) {
    for (const Option& option : group.options) add_option(*app, option);
  }
}

}  // namespace

Parsed parse_options(int count, const char* const* words) {
  Parsed parsed;
  CLI::App app("", "ridge");
  app.set_version_flag("--version", version_text);
  app.require_subcommand(0, 1);
  app.formatter_fn([](const CLI::App*, const std::string&, CLI::AppFormatMode) { return main_help(commands()); });
  for (const Command& command : commands()) add_command(app, command, {words, words + count});
  try {
    app.parse(count, words);
  } catch (const CLI::Success& answered) {  // --help, --version
    parsed.exit_code = app.exit(answered);
    std::cout.flush();
    if (!std::cout) {
      say("ridge: standard output could not be written\n");
      parsed.exit_code = kBadInput;
    }
    return parsed;
  } catch (const CLI::ParseError& error) {
    parsed.exit_code = explain(app, error, count, words);
    return parsed;
  }
  const CLI::App* found = parsed_command(app);
  parsed.arguments.command = &command_named("why");  // `ridge` alone
  if (found != nullptr) collect(*found, command_named(full_name(*found)), parsed.arguments);
  return parsed;
}

}  // namespace ridge::cli
