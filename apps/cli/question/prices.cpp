#include "cli/question/prices.hpp"

#include "catalog/facts/files.hpp"
#include "catalog/facts/grouped.hpp"

namespace ridge::cli {

Result<std::vector<PriceSheet>> price_sheets(const Program& program) {
  std::vector<catalog::Fact> own;
  for (const catalog::Fact& fact : *program.facts) {
    if (fact.category == "price" || fact.category == "source") own.push_back(fact);
  }
  return catalog::price_sheets(catalog::overlaid(catalog::embedded_price_facts(), own));
}

Result<catalog::SheetFile> sheet_file(const std::string& path) {
  const auto text = catalog::read_file(path);
  if (!text) return fail(text.error());
  return catalog::read_sheet_file(*text, path);
}

std::vector<Source> all_sources(const Program& program) {
  Errors errors;  // none: both were read before
  const auto facts = catalog::overlaid(catalog::embedded_price_facts(), *program.facts);
  const catalog::Sources all = catalog::read_sources(facts, errors);
  return {all.begin(), all.end()};
}

}  // namespace ridge::cli
