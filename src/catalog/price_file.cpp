#include "catalog/price_file.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "catalog/litellm.hpp"
#include "catalog/price_entry.hpp"
#include "catalog/sheet_answer.hpp"

namespace ridge::catalog {

Result<SheetFile> read_sheet_file(std::string_view text, std::string_view filename) {
  if (trimmed(text).starts_with('{'))
    return is_sheet_answer(text) ? read_sheet_answer(text, filename) : read_price_map(text, filename);
  const auto facts = sheet_facts(text, filename);
  if (!facts) return fail(facts.error());
  if (facts->empty()) {
    return fail({std::string(filename), "holds no prices",
                 "a sheet needs at least input and output, e.g. input = \"$2/Mtok\"; LiteLLM's price map is JSON"});
  }
  Errors errors;
  SheetFile file;
  file.sheets = read_sheet_entries(*facts, {}, SheetsOf::user, errors);
  if (!errors.empty()) return fail(std::move(errors));
  for (PriceSheet& sheet : file.sheets) {
    if (sheet.source.empty()) sheet.source = std::string(filename);
  }
  return file;
}

Result<std::vector<PriceSheet>> read_sheets(std::string_view text, std::string_view filename) {
  auto file = read_sheet_file(text, filename);
  if (!file) return fail(file.error());
  return std::move(file->sheets);
}

Result<std::vector<PriceSheet>> price_sheets(const std::vector<Fact>& facts) {
  Errors errors;
  const Sources sources = read_sources(facts, errors);
  std::vector<PriceSheet> sheets = read_sheet_entries(facts, sources, SheetsOf::catalog, errors);
  if (!errors.empty()) return fail(std::move(errors));
  return sheets;
}

}  // namespace ridge::catalog
