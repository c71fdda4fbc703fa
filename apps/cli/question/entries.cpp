#include "cli/question/entries.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "library/names.hpp"

namespace ridge::cli {

namespace {

/// Words for entries and for what stands in files: no entries that anybody asks for.
bool is_wording(const catalog::Fact& fact) {
  return fact.category == "alias" || fact.category == "config_key" || fact.category == "config_name";
}

}  // namespace

std::vector<const catalog::Fact*> facts_of(const Program& program, const std::string& name,
                                           const std::string& category) {
  const auto called = [&](const std::string& wanted, const std::string& kind) {
    std::vector<const catalog::Fact*> found;
    for (const catalog::Fact& fact : *program.facts) {
      if (is_wording(fact) || lower_case(fact.entry) != wanted || (!kind.empty() && fact.category != kind)) continue;
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
    const bool alias = fact.category == "alias" && (category.empty() || fact.key == category);
    if (!alias && (is_wording(fact) || (!category.empty() && fact.category != category))) continue;
    if (std::find(known.begin(), known.end(), fact.entry) == known.end()) known.push_back(fact.entry);
  }
  return {std::string(where),
          fmt::format("{} is called \"{}\"", category.empty() ? "nothing" : "no " + category, shortened(name)),
          nearest_names(name, known) + " (ridge list)"};
}

}  // namespace ridge::cli
