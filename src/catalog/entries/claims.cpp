#include "catalog/entries/claims.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/facts/entry.hpp"
#include "catalog/facts/grouped.hpp"

namespace ridge::catalog {

namespace {

// "270..330", "14.4 ms..20 ms", or one value for both ends
Expectation read_expectation(Entry& entry, const std::string& figure) {
  const std::string key = "expect." + figure;
  const std::string text = entry.text(key);
  const std::size_t dots = text.find("..");
  const auto low = parse_measure(text.substr(0, dots), key);
  const auto high = dots == std::string::npos ? low : parse_measure(text.substr(dots + 2), key);
  if (!low || !high || low->dimension != high->dimension || low->value > high->value) {
    entry.complain(key, fmt::format("\"{}\" is not a range", text),
                   "write \"270..330\" or \"15 ms..20 ms\", the smaller end first");
    return {figure, {}, {}};
  }
  return {figure, *low, *high};
}

Claim read_claim(Entry& entry) {
  Claim claim;
  claim.id = entry.text("id");
  claim.title = entry.text("title");
  claim.statement = entry.text("statement");
  claim.at = entry.text("at", false);
  claim.topic = entry.text("topic");
  claim.condition = entry.text("condition", false);
  claim.band = entry.text("band", false);
  claim.derived = entry.flag("derived", false);
  const std::string source = entry.text("source");
  if (entry.has("source") && !entry.knows_source(source))
    entry.complain("source", fmt::format("unknown source \"{}\"", source), "name an entry of sources.toml");
  for (const std::string& name : entry.keys_below("given")) {
    const std::string key = "given." + name;
    const Sourced<std::string> text = entry.sourced_text(key);
    const auto value = parse_measure(text.value, key);
    if (!value) entry.complain(key, value.error().front().what, value.error().front().hint);
    claim.given[name] = {value.value_or(Measure{}), text.from};
  }
  for (const std::string& figure : entry.keys_below("expect"))
    claim.expected.push_back(read_expectation(entry, figure));
  if (claim.derived && !claim.expected.empty())
    entry.complain("derived", "a claim that is derived expects something", "remove [expect], or derived");
  return claim;
}

}  // namespace

Result<std::vector<Claim>> read_claims(const std::vector<Fact>& facts) {
  Errors errors;
  const Sources sources = read_sources(facts, errors);
  std::vector<Claim> claims = read_all<Claim>(facts, "claim", sources, errors, read_claim);
  if (!errors.empty()) return fail(std::move(errors));
  return claims;
}

}  // namespace ridge::catalog
