#include "catalog/facts/grouped.hpp"

#include <map>

#include <fmt/format.h>

namespace ridge::catalog {

std::vector<std::vector<const Fact*>> grouped(const std::vector<Fact>& facts, std::string_view category) {
  std::map<std::string, std::size_t> position;
  std::vector<std::vector<const Fact*>> groups;
  for (const Fact& fact : facts) {
    if (fact.category != category) continue;
    const auto [at, is_new] = position.try_emplace(fact.entry, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(&fact);
  }
  return groups;
}

Source read_source(Entry& entry) {
  Source source{.id = entry.name(),
                .title = entry.text("title"),
                .date = entry.text("date", false),
                .confidence = entry.text("confidence", false),
                .note = entry.text("note", false)};
  const std::string kind = entry.text("kind");
  const auto known = kind_named(kind);
  const bool is_fact = known && *known <= Kind::assumed;  // the others are for what people and the program say
  if (is_fact) source.kind = *known;
  if (!is_fact && entry.has("kind"))
    entry.complain("kind", fmt::format("unknown kind \"{}\"", kind), "one of: datasheet, measured, derived, assumed");
  return source;
}

Sources read_sources(const std::vector<Fact>& facts, Errors& errors) {
  const Sources none;
  auto all = read_all<Source>(facts, "source", none, errors, read_source);
  std::sort(all.begin(), all.end(), [](const Source& a, const Source& b) { return a.id < b.id; });
  return all;
}

}  // namespace ridge::catalog
