// ridge import: a catalog entry from a model's own files.

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/checkpoint/model_file.hpp"
#include "catalog/entries/library.hpp"
#include "catalog/entries/model_entry.hpp"
#include "catalog/facts/read_toml.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/program.hpp"
#include "report/base/entry_json.hpp"

namespace ridge::cli {

namespace {

/// Letters, digits, dots and dashes, in lower case: "deepseek-ai/DeepSeek-V3" -> "deepseek-v3".
std::string entry_name(const std::string& title) {
  const std::size_t slash = title.rfind('/');
  std::string name;
  for (const char c : lower_case(slash == std::string::npos ? title : title.substr(slash + 1))) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  return name.empty() ? "model" : name;
}

/// What was written is read again before anybody relies on it.
Result<bool> read_back(const std::string& toml, const std::string& name, const Program& program) {
  auto facts = catalog::read_entry(toml, "model", name, name + ".toml");
  if (!facts) return fail(facts.error());
  const auto library = catalog::build_library(catalog::overlaid(*program.facts, *facts));
  if (!library) return fail(library.error());
  return true;
}

Result<int> run_import(const Arguments& arguments, Program& program) {
  const std::string what = arguments.text("what"), file = arguments.text("file");
  if (what != "model")
    return fail({"import", fmt::format("\"{}\" cannot be imported", shortened(what)), "ridge import model FILE"});
  if (!catalog::names_model_file(file)) {
    return fail({"import", fmt::format("\"{}\" is no model's file", shortened(file)),
                 "give a config.json, its folder, a .safetensors or .gguf file, or - for standard input"});
  }
  const auto named = model_named(program, file, arguments);
  if (!named) return fail(named.error());
  Model model = *find_named(program.library.models, *named);
  const std::string name = arguments.text("name", entry_name(model.title));
  if (name != entry_name(name)) {
    return fail({"name", fmt::format("\"{}\" is no name for an entry", shortened(name)),
                 fmt::format("lower-case letters, digits, dots and dashes, e.g. {}", entry_name(name))});
  }
  if (model.title.find('/') != std::string::npos) model.repository = model.title;
  model.title = arguments.text("title", model.title);
  std::vector<std::string> said = model.assumptions;
  said.insert(said.end(), model.remarks.begin(), model.remarks.end());
  model.note = joined(said, "; ");
  std::string id = "config-" + name;
  std::replace(id.begin(), id.end(), '.', '-');  // a key of TOML
  const catalog::ImportedFrom from{id, arguments.text("source", "the file " + model.name), arguments.text("date")};
  const std::string toml = catalog::model_toml(model, from);
  if (const auto good = read_back(toml, name, program); !good) {
    say("ridge: the entry could not be read back; this is a bug\n");
    report_errors(good.error(), arguments);
    return kOurBug;
  }
  if (arguments.has("verbose") && !program.unread.empty())
    say(fmt::format("keys that were not needed: {}\n", joined(program.unread, ", ")));
  if (arguments.has("out")) {
    if (const auto wrote = write(arguments.text("out"), toml); !wrote || !arguments.json()) return wrote;
  }
  return print(arguments.json() ? report::import_json({name, toml}) : toml);
}

}  // namespace

Command import_command() {
  return {
      .name = "import",
      .purpose = Purpose::model,
      .place = 3,
      .summary = "a catalog entry from a model's file",
      .groups = {{kUsual,
                  {{"WHAT", "what", "WHAT", "model", "", Reads::command, false, true},
                   {"FILE", "file", "FILE", "config.json, its folder, a .safetensors or .gguf file, or -", "",
                    Reads::command, false, true},
                   {"--name", "name", "NAME", "name of the entry", "from the file's name"},
                   {"--title", "title", "TEXT", "title of the entry", "from the file's name"},
                   {"--source", "source", "TEXT", "where the file comes from", "its name"},
                   {"--date", "date", "DATE", "when it was fetched, e.g. 2026-08-21"}}},
                 {"Output",
                  {kOut.saying("write the entry here"), kVerbose.saying("the keys of the file that were not needed"),
                   kJson.saying("JSON around the entry, which is TOML (docs/json.md)")}},
                 rare_options({kAssume, kPlain})},
      .examples = {"ridge import model examples/06-your-model --name your-model",
                   "ridge import model examples/06-your-model/config.json --name your-model --out your-model.toml"},
      .notes = "The entry goes into DIR/model/NAME.toml; every command then takes --catalog DIR.",
      .run = run_import};
}

}  // namespace ridge::cli
