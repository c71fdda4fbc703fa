#include "catalog/entries/racks.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/facts/entry.hpp"
#include "catalog/facts/grouped.hpp"

namespace ridge::catalog {

namespace {

std::optional<Sourced<double>> optional_count(Entry& entry, std::string_view key) {
  if (!entry.has(key)) return {};
  const Sourced<double> count = entry.sourced_number(key);
  if (!(count.value > 0)) entry.complain(key, "must be above zero", "leave it out where it is not known");
  return count;
}

template <class Q>
std::optional<Sourced<Q>> optional_positive(Entry& entry, std::string_view key) {
  const auto quantity = entry.optional_quantity<Q>(key);
  if (quantity && !(quantity->value.value() > 0)) {
    entry.complain(key, "must be above zero", "leave it out where it is not known");
  }
  return quantity;
}

RackFacts read_rack(Entry& entry) {
  return {.name = entry.name(),
          .title = entry.text("title"),
          .power = optional_positive<Watts<double>>(entry, "power.drawn"),
          .power_limit = optional_positive<Watts<double>>(entry, "power.limit"),
          .links = optional_count(entry, "cables.links"),
          .planes = optional_count(entry, "cables.planes"),
          .wires = optional_count(entry, "cables.wires"),
          .cable_limit = optional_count(entry, "cables.limit")};
}

}  // namespace

Result<std::vector<RackFacts>> read_racks(const std::vector<Fact>& facts) {
  Errors errors;
  const Sources sources = read_sources(facts, errors);
  std::vector<RackFacts> racks = read_all<RackFacts>(facts, "rack", sources, errors, read_rack);
  std::vector<std::string> machines;
  for (const auto& group : grouped(facts, "machine")) machines.push_back(group.front()->entry);
  for (const auto& group : grouped(facts, "rack")) {
    const Fact& fact = *group.front();
    if (std::find(machines.begin(), machines.end(), fact.entry) != machines.end()) continue;
    errors.push_back({fact.place.substr(0, fact.place.find(':')),
                      fmt::format("no machine is called \"{}\"", fact.entry), suggestion(fact.entry, machines)});
  }
  if (!errors.empty()) return fail(std::move(errors));
  return racks;
}

}  // namespace ridge::catalog
