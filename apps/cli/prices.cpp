#include "cli/prices.hpp"

namespace ridge::cli {

Result<std::vector<PriceSheet>> price_sheets(const Program& program) {
  std::vector<catalog::Fact> own;
  for (const catalog::Fact& fact : program.facts) {
    if (fact.category == "price" || fact.category == "source") own.push_back(fact);
  }
  return catalog::price_sheets(catalog::overlaid(catalog::embedded_price_facts(), own));
}

}  // namespace ridge::cli
