#include "catalog/facts/upkeep.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

std::optional<int> number_in(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

using SourcesById = std::map<std::string, const Source*, std::less<>>;

SourcesById sources_by_id(const std::vector<Source>& sources) {
  SourcesById by_id;
  for (const Source& source : sources) by_id.emplace(source.id, &source);
  return by_id;
}

std::string date_of_source(const SourcesById& sources, const std::string& id) {
  const auto found = sources.find(id);
  return found == sources.end() ? "" : found->second->date;
}

/// Entries whose numbers people look up somewhere; those of fits and of models' files have their own origin.
bool is_looked_up(std::string_view category) {
  constexpr std::array<std::string_view, 9> kLookedUp = {"chip", "machine", "tier",    "traffic",  "day",
                                                         "rack", "reuse",   "failure", "lifecycle"};
  return std::find(kLookedUp.begin(), kLookedUp.end(), category) != kLookedUp.end();
}

bool begins_as_number(std::string_view text) {
  const std::size_t start = text.starts_with('$') || text.starts_with('-') ? 1 : 0;
  return text.size() > start && text[start] >= '0' && text[start] <= '9';
}

}  // namespace

std::optional<int> day_of(std::string_view date) {
  const std::vector<std::string> parts = split(date, '-');
  if (parts.empty() || parts.size() > 3) return {};
  std::array<int, 3> numbers = {0, 1, 1};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = number_in(parts[i]);
    if (!number) return {};
    numbers[i] = *number;
  }
  const std::chrono::year_month_day day{std::chrono::year(numbers[0]),
                                        std::chrono::month(static_cast<unsigned>(numbers[1])),
                                        std::chrono::day(static_cast<unsigned>(numbers[2]))};
  if (!day.ok()) return {};
  return static_cast<int>(std::chrono::sys_days(day).time_since_epoch().count());
}

std::vector<OldPrice> old_prices(const std::vector<Fact>& facts, const std::vector<Source>& sources, int limit) {
  const SourcesById by_id = sources_by_id(sources);
  int newest = 0;
  for (const Source& source : sources) newest = std::max(newest, day_of(source.date).value_or(0));
  std::vector<OldPrice> old;
  std::map<std::string, OldPrice> sheets;  // the newest of what is sold
  for (const Fact& fact : facts) {
    if (fact.category == "machine" && fact.key.starts_with("price.") && begins_as_number(fact.text)) {
      old.push_back({fact.entry, fact.key, date_of_source(by_id, fact.source), fact.source, 0});
    } else if (fact.category == "price" && fact.key == "source") {
      const std::size_t at = fact.entry.find('@');
      OldPrice sheet{fact.entry.substr(0, at), "sheet", date_of_source(by_id, fact.text), fact.text, 0};
      if (at != std::string::npos) sheet.date = fact.entry.substr(at + 1);
      OldPrice& kept = sheets.try_emplace(sheet.entry, sheet).first->second;
      if (kept.date < sheet.date) kept = sheet;
    }
  }
  for (const auto& [name, sheet] : sheets) old.push_back(sheet);
  for (OldPrice& one : old) one.days = newest - day_of(one.date).value_or(0);
  std::erase_if(old, [&](const OldPrice& one) { return one.days <= limit; });
  std::stable_sort(old.begin(), old.end(), [](const OldPrice& a, const OldPrice& b) {
    const bool sheet_a = a.key == "sheet", sheet_b = b.key == "sheet";
    return sheet_a != sheet_b ? sheet_b : a.days > b.days;
  });
  return old;
}

std::vector<UnsourcedValue> unsourced_values(const std::vector<Fact>& facts, const std::vector<Source>& sources) {
  const SourcesById by_id = sources_by_id(sources);
  std::vector<UnsourcedValue> unsourced;
  for (const Fact& fact : facts) {
    const bool words = fact.key == "year" || fact.key == "title" || fact.key == "note";
    if (!is_looked_up(fact.category) || !begins_as_number(fact.text) || words) continue;
    const auto source = by_id.find(fact.source);
    const std::string kind = !fact.kind.empty()      ? fact.kind
                             : source == by_id.end() ? ""
                                                     : std::string(name_of(source->second->kind));
    if (kind == name_of(Kind::assumed) || fact.source.empty())
      unsourced.push_back({fact.entry, fact.key, fact.text, fact.source});
  }
  return unsourced;
}

}  // namespace ridge::catalog
