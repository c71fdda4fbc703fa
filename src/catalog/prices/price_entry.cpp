#include "catalog/prices/price_entry.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text/currency.hpp"
#include "base/text/text.hpp"
#include "catalog/facts/read_toml.hpp"
#include "price/sheet/sheet_check.hpp"

namespace ridge::catalog {

namespace {

/// "anthropic/claude-opus-5@2026-07": who sells what, since when.
struct SheetName {
  std::string provider, model, date;
};

SheetName split_name(std::string_view name) {
  SheetName out;
  const std::size_t at = name.rfind('@');
  if (at != std::string_view::npos) out.date = std::string(name.substr(at + 1));
  name = name.substr(0, at);
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) out.provider = std::string(name.substr(0, slash));
  out.model = std::string(slash == std::string_view::npos ? name : name.substr(slash + 1));
  return out;
}

template <class Q>
std::optional<Q> optional_price(Entry& entry, const std::string& key) {
  const auto text = entry.optional_text(key);
  if (!text) return {};
  const auto value = parse<Q>(*text, key);
  if (!value) entry.complain(key, value.error().front().what, value.error().front().hint);
  return value.value_or(Q{});
}

using TokenPrice = DollarsPerToken<double>;

TokenPrice required_price(Entry& entry, const std::string& key) {
  const std::string text = entry.text(key);
  const auto value = parse<TokenPrice>(text, key);
  if (!value && entry.has(key)) entry.complain(key, value.error().front().what, value.error().front().hint);
  return value.value_or(TokenPrice{});
}

/// A name that is a quantity: the 5min of write.5min.
template <class Q>
Q quantity_in_name(Entry& entry, const std::string& name, const std::string& key) {
  const auto value = parse<Q>(name, key);
  if (!value) entry.complain(key, value.error().front().what, value.error().front().hint);
  return value.value_or(Q{});
}

std::vector<CacheWrite> read_writes(Entry& entry, const std::string& table) {
  std::vector<CacheWrite> writes;
  for (const std::string& name : entry.keys_below(table)) {
    const std::string key = table + "." + name;
    writes.push_back({quantity_in_name<Seconds<double>>(entry, name, key), required_price(entry, key)});
  }
  std::stable_sort(writes.begin(), writes.end(),
                   [](const CacheWrite& a, const CacheWrite& b) { return a.keep < b.keep; });
  return writes;
}

std::vector<PriceBreak> read_tiers(Entry& entry) {
  std::vector<PriceBreak> tiers;
  for (const std::string& name : entry.tables_below("tier")) {
    const std::string key = "tier." + name;
    tiers.push_back({.above = quantity_in_name<Tokens<double>>(entry, name, key + ".input"),
                     .input = required_price(entry, key + ".input"),
                     .output = required_price(entry, key + ".output"),
                     .cached = optional_price<TokenPrice>(entry, key + ".cached"),
                     .writes = read_writes(entry, key + ".write")});
  }
  std::stable_sort(tiers.begin(), tiers.end(),
                   [](const PriceBreak& a, const PriceBreak& b) { return a.above < b.above; });
  return tiers;
}

std::vector<SpeedMode> read_modes(Entry& entry) {
  std::vector<SpeedMode> modes;
  for (const std::string& name : entry.tables_below("mode")) {
    const std::string key = "mode." + name;
    const bool has_speed = entry.has(key + ".speed");
    modes.push_back({.name = name,
                     .input = required_price(entry, key + ".input"),
                     .output = required_price(entry, key + ".output"),
                     .speed = has_speed ? std::optional(entry.number(key + ".speed")) : std::nullopt});
  }
  return modes;
}

void check_currency(Entry& entry) {
  const auto currency = entry.optional_text("currency");
  if (!currency || is_dollar(*currency)) return;
  entry.complain("currency", fmt::format("prices are in {}", shortened(*currency)),
                 "convert them to USD; rates of exchange are not ours to guess");
}

PriceSheet read_sheet(Entry& entry, const Sources& sources, SheetsOf whose) {
  const SheetName name = split_name(entry.name());
  PriceSheet sheet;
  sheet.provider = entry.optional_text("provider").value_or(name.provider);
  sheet.model = entry.optional_text("model").value_or(name.model);
  sheet.date = entry.optional_text("date").value_or(name.date);
  sheet.source = entry.text("source", whose == SheetsOf::catalog);
  sheet.note = entry.text("note", false);
  sheet.weights = entry.text("weights", false);
  sheet.hosted = entry.flag("hosted", false);
  sheet.since_known = entry.flag("since_known", true);
  check_currency(entry);
  sheet.input = required_price(entry, "input");
  sheet.output = required_price(entry, "output");
  sheet.cached = optional_price<TokenPrice>(entry, "cached");
  sheet.writes = read_writes(entry, "write");
  sheet.hold = optional_price<DollarsPerTokenSecond<double>>(entry, "hold");
  sheet.tiers = read_tiers(entry);
  sheet.modes = read_modes(entry);
  sheet.max_input = optional_price<Tokens<double>>(entry, "max_input");
  sheet.max_output = optional_price<Tokens<double>>(entry, "max_output");
  if (whose == SheetsOf::catalog && !sheet.source.empty() && sources.find(sheet.source) == nullptr) {
    entry.complain("source", fmt::format("unknown source \"{}\"", sheet.source),
                   suggestion(sheet.source, names_of(sources)));
  }
  return sheet;
}

}  // namespace

Result<std::vector<Fact>> sheet_facts(std::string_view text, std::string_view place) {
  const std::size_t slash = place.rfind('/');
  const std::string_view file = place.substr(slash == std::string_view::npos ? 0 : slash + 1);
  auto whole = read_entry(text, "price", file.substr(0, file.rfind('.')), place);
  if (!whole) return whole;
  // a value outside all tables
  const bool one_sheet = std::any_of(whole->begin(), whole->end(),
                                     [](const Fact& fact) { return fact.key.find('.') == std::string::npos; });
  return one_sheet ? whole : read_entries(text, "price", place);
}

std::vector<PriceSheet> read_sheet_entries(const std::vector<Fact>& facts, const Sources& sources, SheetsOf whose,
                                           Errors& errors) {
  std::vector<PriceSheet> sheets;
  for (auto& group : grouped(facts, "price")) {
    const Fact& first = *group.front();
    const std::string where = fmt::format("{}: {}", first.place, shortened(first.entry));
    const std::size_t before = errors.size();
    Entry entry(std::move(group), sources, errors);
    sheets.push_back(read_sheet(entry, sources, whose));
    entry.finish();
    if (errors.size() > before) continue;  // what could not be read needs no second complaint
    for (Error error : sheet_errors(sheets.back())) {
      error.where = error.where.empty() ? where : where + ": " + error.where;
      errors.push_back(std::move(error));
    }
  }
  return sheets;
}

}  // namespace ridge::catalog
