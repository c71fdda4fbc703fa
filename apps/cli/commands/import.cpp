// ridge import: a catalog entry from a model's own files.

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "catalog/checkpoint/model_file.hpp"
#include "catalog/entries/library.hpp"
#include "catalog/entries/model_entry.hpp"
#include "catalog/facts/read_toml.hpp"
#include "cli/program.hpp"

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
Result<bool> check(const std::string& toml, const std::string& name, const Program& program) {
  auto facts = catalog::read_entry(toml, "model", name, name + ".toml");
  if (!facts) return fail(facts.error());
  const auto library = catalog::build_library(catalog::overlaid(*program.facts, *facts));
  if (!library) return fail(library.error());
  return true;
}

}  // namespace

int run_import(const Options& options, Program& program) {
  if (options.subject != "model") {
    return report_errors(
        {{"import", fmt::format("\"{}\" cannot be imported", shortened(options.subject)), "ridge import model FILE"}},
        options);
  }
  if (!catalog::names_model_file(options.model)) {
    return report_errors({{"import", fmt::format("\"{}\" is no model's file", shortened(options.model)),
                           "give a config.json, its folder, a .safetensors or .gguf file, or - for standard input"}},
                         options);
  }
  const auto named = model_named(program, options.model, options);
  if (!named) return report_errors(named.error(), options);
  Model model = *find_named(program.library.models, *named);
  const std::string name = options.name.empty() ? entry_name(model.title) : options.name;
  if (name != entry_name(name)) {
    return report_errors({{"--name", fmt::format("\"{}\" is no name for an entry", shortened(name)),
                           fmt::format("lower-case letters, digits, dots and dashes, e.g. {}", entry_name(name))}},
                         options);
  }
  if (model.title.find('/') != std::string::npos) model.repository = model.title;
  if (!options.title.empty()) model.title = options.title;
  std::vector<std::string> said = model.assumptions;
  said.insert(said.end(), model.remarks.begin(), model.remarks.end());
  model.note = joined(said, "; ");
  std::string id = "config-" + name;
  std::replace(id.begin(), id.end(), '.', '-');  // a key of TOML
  const catalog::ImportedFrom from{id, options.source.empty() ? "the file " + model.name : options.source,
                                   options.date};
  const std::string toml = catalog::model_toml(model, from);
  if (const auto good = check(toml, name, program); !good) {
    say("ridge: the entry could not be read back; this is a bug\n");
    report_errors(good.error(), options);
    return kOurBug;
  }
  if (options.verbose && !program.unread.empty())
    say(fmt::format("keys that were not needed: {}\n", joined(program.unread, ", ")));
  return options.out_file.empty() ? print(toml) : write(options.out_file, toml, options);
}

}  // namespace ridge::cli
