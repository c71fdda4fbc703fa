// ridge completions: scripts for shells, from the table of commands; and the names that they offer.

#include "cli/options/completions.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/program.hpp"
#include "library/engines.hpp"
#include "report/base/words_json.hpp"

namespace ridge::cli {

namespace {

template <class Entries>
std::vector<std::string> names_in(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

std::vector<std::string> offered_names(std::string_view what, const Program& program) {
  if (what == "models") return names_in(program.library.models);
  if (what == "machines") return names_in(program.library.machines);
  if (what == "formats") return names_in(program.library.formats);
  if (what == "engines") return known_engines(program.library);
  if (what != "commands") return {};
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return names;
}

Result<int> run_completions(const Arguments& arguments, Program& program) {
  const std::string what = arguments.text("what");
  if (const auto script = completion_script(what, commands())) {
    if (!arguments.json()) return print(*script);
    return print(report::words_json("ridge.completions/1", what, split(*script, '\n')));
  }
  const std::vector<std::string> names = offered_names(what, program);
  if (names.empty()) {
    return fail({"what", fmt::format("no completions for \"{}\"", shortened(what)),
                 suggestion(what, {"bash", "zsh", "fish", "commands", "models", "machines", "engines", "formats"})});
  }
  return print(arguments.json() ? report::words_json("ridge.completions/1", what, names) : joined(names, "\n") + "\n");
}

}  // namespace

Command completions_command() {
  return {.name = "completions",
          .purpose = Purpose::data,
          .place = 200,
          .summary = "completions for bash, zsh and fish",
          .groups = {{kUsual,
                      {{"WHAT", "what", "WHAT",
                        "bash, zsh or fish: a script for that shell; commands, models, machines, engines or formats: "
                        "their names, a line each",
                        "", Reads::command, false, true}}},
                     output_options(),
                     rare_options()},
          .examples = {"ridge completions bash", "ridge completions machines"},
          .notes =
              "bash: source <(ridge completions bash). zsh: ridge completions zsh > a file _ridge in $fpath. fish: "
              "ridge completions fish > ~/.config/fish/completions/ridge.fish. Packages install all three.",
          .run = run_completions};
}

}  // namespace ridge::cli
