// ridge show: one catalog entry with the source of every value; a model, from the catalog or a file, counted.

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/checkpoint/model_file.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/question/entries.hpp"
#include "report/model/model_json.hpp"
#include "report/model/model_text.hpp"

namespace ridge::cli {

namespace {

/// Titles of the sources that an entry leans on.
std::string sources_text(const std::vector<const catalog::Fact*>& facts, const Library& library,
                         const report::Style& style) {
  std::string out;
  std::vector<std::string> said;
  for (const catalog::Fact* fact : facts) {
    if (fact->source.empty() || std::find(said.begin(), said.end(), fact->source) != said.end()) continue;
    said.push_back(fact->source);
    const Source* source = find_named(library.sources, fact->source);
    if (source == nullptr) continue;
    out += report::wrapped(fmt::format("source: {} [{}, {}]", source->title, source->id, name_of(source->kind)),
                           style.columns, 8) +
           "\n";
  }
  return out;
}

std::string unread_text(const Program& program) {
  if (program.unread.empty()) return "";
  return report::wrapped(fmt::format("keys of the file that were not needed: {}", joined(program.unread, ", ")),
                         program.style.columns, 2) +
         "\n";
}

int show_model(const Model& model, const std::vector<const catalog::Fact*>& facts, const Arguments& arguments,
               const Program& program) {
  if (arguments.json()) return print(report::model_json(model, program.library.formats, facts, program.unread));
  std::string out = report::model_text(model, program.library.formats, program.style);
  out += sources_text(facts, program.library, program.style);
  if (arguments.has("verbose")) out += unread_text(program);
  if (arguments.has("verbose") && !facts.empty()) out += "\n" + facts_text(facts, program.style);
  return print(out);
}

Result<int> run_show(const Arguments& arguments, Program& program) {
  const bool two = arguments.has("name");
  const std::string category = two ? arguments.text("what") : "", name = arguments.text(two ? "name" : "what");
  constexpr std::array<std::string_view, 13> kCategories = {
      "model", "machine",     "chip",      "format", "engine", "calibration", "source",
      "claim", "scaling_law", "lifecycle", "tier",   "reuse",  "traffic"};
  if (two && std::find(kCategories.begin(), kCategories.end(), category) == kCategories.end()) {
    return fail({"show", fmt::format("\"{}\" is no category", shortened(category)),
                 suggestion(category, {kCategories.begin(), kCategories.end()})});
  }
  const bool may_be_file = category.empty() || category == "model";
  if (may_be_file && (catalog::names_model_file(name) || arguments.has("assume"))) {
    const auto model = model_named(program, name, arguments);
    if (!model) return fail(model.error());
    return show_model(*find_named(program.library.models, *model), {}, arguments, program);
  }
  auto facts = facts_of(program, name, category);
  std::vector<const catalog::Fact*> fitted;  // what was measured of an engine stands below what is known of it
  if (category.empty() && !facts.empty() && facts.front()->category == "calibration") {
    if (auto engine = facts_of(program, name, "engine"); !engine.empty()) fitted = std::exchange(facts, engine);
  }
  if (facts.empty()) return fail(unknown_entry(program, name, category, "show"));
  if (const Model* model =
          facts.front()->category == "model" ? find_named(program.library.models, facts.front()->entry) : nullptr) {
    return show_model(*model, facts, arguments, program);
  }
  if (arguments.json()) return print(report::facts_json(facts));
  return print(facts_text(facts, program.style) + (fitted.empty() ? "" : "\n" + facts_text(fitted, program.style)));
}

}  // namespace

Command show_command() {
  return {
      .name = "show",
      .purpose = Purpose::model,
      .place = 1,
      .summary = "one catalog entry, or a model (from a file too), counted",
      .groups = {{kUsual,
                  {{"WHAT", "what", "WHAT", "a name, a model's file, or a category (model, machine, ...) before one",
                    "", Reads::command, false, true},
                   {"NAME", "name", "NAME", "the name, where WHAT is a category"},
                   kVerbose}},
                 output_options(),
                 rare_options({kAssume})},
      .examples = {"ridge show model deepseek-v3", "ridge show model examples/06-your-model/config.json --verbose",
                   "ridge show model deepseek-v3 --json", "ridge show gb200-nvl72", "ridge show C09",
                   "ridge show h200-sxm --verbose"},
      .notes =
          "A model may be a file: a Hugging Face config.json (- for standard input), its folder, a "
          ".safetensors or .gguf file. Where tensors are present they are counted, and the config is checked "
          "against them. No tensor data is read.",
      .run = run_show};
}

}  // namespace ridge::cli
