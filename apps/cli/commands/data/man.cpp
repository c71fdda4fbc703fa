// ridge man: manual pages, from the table of commands.

#include <filesystem>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "cli/options/completions.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/program.hpp"
#include "cli/version.hpp"
#include "report/base/words_json.hpp"

namespace ridge::cli {

namespace {

Result<int> write_pages(const std::string& folder, const std::string& version) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);  // a write into it says why not
  if (const auto wrote = write(folder + "/ridge.1", main_manual(commands(), version)); !wrote) return wrote;
  for (const Command& command : commands()) {
    const auto wrote = write(fmt::format("{}/{}.1", folder, manual_name(command)), command_manual(command, version));
    if (!wrote) return wrote;
  }
  return kAnswered;
}

Result<int> run_man(const Arguments& arguments, Program&) {
  const std::string version = version_text();
  if (arguments.has("out")) return write_pages(arguments.text("out"), version);
  const std::string name = joined(arguments.all("command"), " ");
  std::vector<std::string> known;
  for (const Command& command : commands()) {
    known.emplace_back(command.name);
    if (command.name != name) continue;
    const std::string page = command_manual(command, version);
    return print(arguments.json() ? report::words_json("ridge.man/1", name, split(page, '\n')) : page);
  }
  if (!name.empty())
    return fail({"command", fmt::format("there is no command \"{}\"", shortened(name)), suggestion(name, known)});
  const std::string page = main_manual(commands(), version);
  return print(arguments.json() ? report::words_json("ridge.man/1", "ridge", split(page, '\n')) : page);
}

}  // namespace

Command man_command() {
  return {.name = "man",
          .purpose = Purpose::data,
          .place = 201,
          .summary = "a manual page, for man -l -",
          .groups = {{kUsual,
                      {{"COMMAND", "command", "COMMAND", "a command, such as why or price history",
                        "the page of ridge itself", Reads::command, true},
                       {"--out", "out", "DIR", "write every page into this folder"}}},
                     output_options(),
                     rare_options()},
          .examples = {"ridge man why", "ridge man price history", "ridge man --out pages"},
          .notes = "ridge man why | man -l - shows it. Packages install them: man ridge-why.",
          .run = run_man};
}

}  // namespace ridge::cli
