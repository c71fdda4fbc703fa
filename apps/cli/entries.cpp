#include "cli/entries.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace ridge::cli {

std::vector<const catalog::Fact*> facts_of(const Program& program, const std::string& name,
                                           const std::string& category) {
  std::string wanted = lower_case(name);
  for (const Model& model : program.library.models) {
    if (!model.repository.empty() && lower_case(model.repository) == wanted) wanted = lower_case(model.name);
  }
  std::vector<const catalog::Fact*> found;
  for (const catalog::Fact& fact : program.facts) {
    if (lower_case(fact.entry) != wanted || (!category.empty() && fact.category != category)) continue;
    if (found.empty() || found.front()->category == fact.category) found.push_back(&fact);
  }
  return found;
}

std::string facts_text(const std::vector<const catalog::Fact*>& facts, const report::Style& style) {
  std::string out = report::bold(style, fmt::format("{} {}", facts.front()->category, facts.front()->entry)) + "\n";
  for (const catalog::Fact* fact : facts) {
    std::string line = fmt::format("  {} {}", report::padded(fact->key, 24), report::padded(fact->text, 16));
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
  for (const catalog::Fact& fact : program.facts) {
    if (!category.empty() && fact.category != category) continue;
    if (std::find(known.begin(), known.end(), fact.entry) == known.end()) known.push_back(fact.entry);
  }
  return {std::string(where),
          fmt::format("{} is called \"{}\"", category.empty() ? "nothing" : "no " + category, shortened(name)),
          suggestion(name, known) + " (ridge list)"};
}

}  // namespace ridge::cli
