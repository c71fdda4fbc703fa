#include "catalog/facts/entry.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {
constexpr double kLargestCount = 1e12;
}  // namespace

const Fact* Entry::find(std::string_view key) const {
  const auto found = place_of_.find(key);
  return found == place_of_.end() ? nullptr : facts_[found->second];
}

const Fact* Entry::take(std::string_view key) {
  asked_.emplace_back(key);
  const auto found = place_of_.find(key);
  if (found == place_of_.end()) return nullptr;
  read_[found->second] = true;
  return facts_[found->second];
}

const Fact* Entry::required(std::string_view key) {
  const Fact* fact = take(key);
  if (fact == nullptr) {
    const std::string& place = facts_.front()->place;
    errors_.push_back({place.substr(0, place.find(':')), fmt::format("{} is missing", key),
                       fmt::format("add it; catalog/template shows every key of a {}", facts_.front()->category)});
  }
  return fact;
}

Provenance Entry::provenance_of(const Fact& fact) {
  Provenance from{fact.source, Kind::assumed, fact.note, fact.place};
  if (fact.source.empty()) {
    errors_.push_back({where(fact), "has no source", "add source = \"...\" naming an entry of sources.toml"});
    return from;
  }
  const Source* source = sources_.find(fact.source);
  if (source == nullptr) {
    errors_.push_back(
        {where(fact), fmt::format("unknown source \"{}\"", fact.source), suggestion(fact.source, names_of(sources_))});
    return from;
  }
  from.kind = source->kind;
  if (fact.kind.empty()) return from;
  if (const auto kind = kind_named(fact.kind); kind && *kind <= Kind::assumed) {
    from.kind = *kind;
    return from;
  }
  errors_.push_back(
      {where(fact), fmt::format("unknown kind \"{}\"", fact.kind), "one of: datasheet, measured, derived, assumed"});
  return from;
}

Provenance Entry::provenance(std::string_view key) {
  const Fact* fact = find(key);
  return fact == nullptr ? Provenance{} : provenance_of(*fact);
}

std::string Entry::text(std::string_view key, bool needed) {
  const Fact* fact = needed ? required(key) : take(key);
  return fact == nullptr ? std::string{} : fact->text;
}

std::optional<std::string> Entry::optional_text(std::string_view key) {
  const Fact* fact = take(key);
  if (fact == nullptr) return {};
  return fact->text;
}

double Entry::number(std::string_view key, std::optional<double> otherwise) {
  const Fact* fact = otherwise ? take(key) : required(key);
  if (fact == nullptr) return otherwise.value_or(0.0);
  const auto value = parse_number(fact->text);
  if (!value)
    errors_.push_back(
        {where(*fact), fmt::format("\"{}\" is not a plain number", fact->text), "write it without a unit, e.g. 64"});
  if (value && *value < 0)
    errors_.push_back({where(*fact), fmt::format("{} is negative", fact->text), "counts are zero or more"});
  if (value && *value > kLargestCount)
    errors_.push_back(
        {where(*fact), fmt::format("{} is more than any model or machine has", fact->text), "check the digits"});
  return value.value_or(0.0);
}

double Entry::signed_number(std::string_view key) {
  const Fact* fact = required(key);
  if (fact == nullptr) return 0.0;
  const auto value = parse_number(fact->text);
  if (!value || std::fabs(*value) > kLargestCount)
    errors_.push_back({where(*fact), fmt::format("\"{}\" is not a plain number", fact->text), "check the digits"});
  return value && std::fabs(*value) <= kLargestCount ? *value : 0.0;
}

bool Entry::flag(std::string_view key, std::optional<bool> otherwise) {
  const Fact* fact = otherwise ? take(key) : required(key);
  if (fact == nullptr) return otherwise.value_or(false);
  if (fact->text != "true" && fact->text != "false") {
    errors_.push_back({where(*fact), fmt::format("\"{}\" is neither true nor false", fact->text),
                       "write true or false without quotes"});
  }
  return fact->text == "true";
}

Sourced<std::string> Entry::sourced_text(std::string_view key) {
  const Fact* fact = required(key);
  if (fact == nullptr) return {};
  return {fact->text, provenance_of(*fact)};
}

Sourced<double> Entry::sourced_number(std::string_view key) {
  const double value = number(key);
  return {value, has(key) ? provenance(key) : Provenance{}};
}

std::vector<std::string> Entry::keys_below(std::string_view table) const {
  std::vector<std::string> keys;
  const std::string prefix = std::string(table) + ".";
  for (const Fact* fact : facts_) {
    if (fact->key.starts_with(prefix)) keys.push_back(fact->key.substr(prefix.size()));
  }
  return keys;
}

std::vector<std::string> Entry::tables_below(std::string_view table) const {
  std::vector<std::string> names;
  for (const std::string& key : keys_below(table)) {
    std::string name = key.substr(0, key.find('.'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

void Entry::complain(std::string_view key, std::string what, std::string hint) {
  const Fact* fact = find(key);
  errors_.push_back({fact == nullptr ? facts_.front()->place : where(*fact), std::move(what), std::move(hint)});
}

void Entry::finish() {
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    if (read_[i]) continue;
    const Fact* first = find(facts_[i]->key);
    if (first != nullptr && first != facts_[i]) {
      errors_.push_back({facts_[i]->place,
                         fmt::format("{} is given a second time, after {}", facts_[i]->key, first->place),
                         fmt::format("{} is one entry: leave one of them out", name())});
      continue;
    }
    errors_.push_back(
        {facts_[i]->place, fmt::format("unknown key \"{}\"", facts_[i]->key), suggestion(facts_[i]->key, asked_)});
  }
}

}  // namespace ridge::catalog
