#include "catalog/entries/lecture.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/facts/entry.hpp"
#include "catalog/facts/grouped.hpp"

namespace ridge::catalog {

namespace {

LectureStep read_lecture_step(Entry& entry, const std::set<std::string>& claims) {
  LectureStep step;
  step.name = entry.name();
  step.title = entry.text("title");
  step.chapter = entry.text("chapter");
  step.at = entry.text("at", false);
  step.text = entry.text("text");
  step.command = entry.text("command");
  if (entry.has("command") && !step.command.starts_with("ridge "))
    entry.complain("command", "does not begin with ridge", "write the line that draws it, e.g. ridge curve batch");
  for (const std::string& id : split(entry.text("claims"), ' ')) {
    if (id.empty()) continue;
    step.claims.push_back(id);
    if (!claims.contains(id))
      entry.complain("claims", fmt::format("there is no claim \"{}\"", id), "name files of catalog/claim: C01 C04");
  }
  const std::string source = entry.text("source");
  if (entry.has("source") && !entry.knows_source(source))
    entry.complain("source", fmt::format("unknown source \"{}\"", source), "name an entry of sources.toml");
  return step;
}

}  // namespace

Result<std::vector<LectureStep>> read_lecture(const std::vector<Fact>& facts) {
  Errors errors;
  std::set<std::string> claims;
  for (const Fact& fact : facts) {
    if (fact.category == "claim" && fact.key == "id") claims.insert(fact.text);
  }
  const Sources sources = read_sources(facts, errors);
  auto steps = read_all<LectureStep>(facts, "lecture", sources, errors,
                                     [&](Entry& entry) { return read_lecture_step(entry, claims); });
  if (!errors.empty()) return fail(std::move(errors));
  std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return steps;
}

}  // namespace ridge::catalog
