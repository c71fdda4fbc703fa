// ridge show: one catalog entry with the source of every value; a model, from the catalog or a file, counted.

#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "catalog/checkpoint/model_file.hpp"
#include "cli/entries.hpp"
#include "cli/program.hpp"
#include "library/names.hpp"
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

int show_model(const Model& model, const std::vector<const catalog::Fact*>& facts, const Options& options,
               const Program& program) {
  if (options.json) return print(report::model_json(model, program.library.formats, facts, program.unread));
  std::string out = report::model_text(model, program.library.formats, program.style);
  out += sources_text(facts, program.library, program.style);
  if (options.verbose) out += unread_text(program);
  if (options.verbose && !facts.empty()) out += "\n" + facts_text(facts, program.style);
  return print(out);
}

}  // namespace

std::vector<const catalog::Fact*> facts_of(const Program& program, const std::string& name,
                                           const std::string& category) {
  const auto called = [&](const std::string& wanted, const std::string& kind) {
    std::vector<const catalog::Fact*> found;
    for (const catalog::Fact& fact : *program.facts) {
      if (fact.category == "alias" || lower_case(fact.entry) != wanted || (!kind.empty() && fact.category != kind))
        continue;
      if (found.empty() || found.front()->category == fact.category) found.push_back(&fact);
    }
    return found;
  };
  const auto own = called(lower_case(name), category);
  if (!own.empty()) return own;
  const auto meant = [&](const char* kind, const auto& named) -> std::vector<const catalog::Fact*> {
    if (!named || (!category.empty() && category != kind)) return {};
    if (!named->note.empty()) say("note: " + named->note + "\n");
    return called(lower_case(named->entry->name), kind);
  };
  auto found = meant("model", ridge::model_named(program.library, name));
  if (found.empty()) found = meant("chip", chip_named(program.library, name));
  if (found.empty()) found = meant("machine", machine_named(program.library, name));
  return found;
}

std::string facts_text(const std::vector<const catalog::Fact*>& facts, const report::Style& style) {
  std::string out = report::bold(style, fmt::format("{} {}", facts.front()->category, facts.front()->entry)) + "\n";
  for (const catalog::Fact* fact : facts) {
    const std::string text = joined(split(fact->text, '\n'), " \\n ");
    std::string line = fmt::format("  {} {}", report::padded(fact->key, 24), report::padded(text, 16));
    if (!fact->source.empty())
      line += fmt::format("  [{}{}]", fact->source, fact->kind.empty() ? "" : ", " + fact->kind);
    if (!fact->note.empty()) line += " " + fact->note;
    out += report::wrapped(line, style.columns, 27) + "\n";
  }
  return out;
}

Error unknown_entry(const Program& program, const std::string& name, const std::string& category,
                    std::string_view where) {
  std::vector<std::string> known;
  for (const catalog::Fact& fact : *program.facts) {
    if (fact.category == "alias" || (!category.empty() && fact.category != category)) continue;
    if (std::find(known.begin(), known.end(), fact.entry) == known.end()) known.push_back(fact.entry);
  }
  return {std::string(where),
          fmt::format("{} is called \"{}\"", category.empty() ? "nothing" : "no " + category, shortened(name)),
          suggestion(name, known) + " (ridge list)"};
}

int run_show(const Options& options, Program& program) {
  const bool two = !options.other.empty();
  const std::string category = two ? options.subject : "", name = two ? options.other : options.subject;
  constexpr std::array<std::string_view, 13> kCategories = {
      "model", "machine",     "chip",      "format", "engine", "calibration", "source",
      "claim", "scaling_law", "lifecycle", "tier",   "reuse",  "traffic"};
  if (two && std::find(kCategories.begin(), kCategories.end(), category) == kCategories.end()) {
    return report_errors({{"show", fmt::format("\"{}\" is no category", shortened(category)),
                           suggestion(category, {kCategories.begin(), kCategories.end()})}},
                         options);
  }
  const bool may_be_file = category.empty() || category == "model";
  if (may_be_file && (catalog::names_model_file(name) || !options.assumptions.empty())) {
    const auto model = model_named(program, name, options);
    if (!model) return report_errors(model.error(), options);
    return show_model(*find_named(program.library.models, *model), {}, options, program);
  }
  auto facts = facts_of(program, name, category);
  std::vector<const catalog::Fact*> fitted;  // what was measured of an engine stands below what is known of it
  if (category.empty() && !facts.empty() && facts.front()->category == "calibration") {
    if (auto engine = facts_of(program, name, "engine"); !engine.empty()) fitted = std::exchange(facts, engine);
  }
  if (facts.empty()) return report_errors({unknown_entry(program, name, category, "show")}, options);
  if (const Model* model =
          facts.front()->category == "model" ? find_named(program.library.models, facts.front()->entry) : nullptr) {
    return show_model(*model, facts, options, program);
  }
  if (options.json) return print(report::facts_json(facts));
  return print(facts_text(facts, program.style) + (fitted.empty() ? "" : "\n" + facts_text(fitted, program.style)));
}

}  // namespace ridge::cli
