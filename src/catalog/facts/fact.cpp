#include "catalog/facts/fact.hpp"

#include <set>
#include <utility>

namespace ridge::catalog {

std::vector<Fact> overlaid(std::vector<Fact> base, const std::vector<Fact>& over) {
  std::set<std::pair<std::string, std::string>> replaced;
  for (const Fact& fact : over) replaced.emplace(fact.category, fact.entry);
  std::erase_if(base, [&](const Fact& fact) { return replaced.contains({fact.category, fact.entry}); });
  base.insert(base.end(), over.begin(), over.end());
  return base;
}

}  // namespace ridge::catalog
