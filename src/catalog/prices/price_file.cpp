#include "catalog/prices/price_file.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/prices/litellm.hpp"
#include "catalog/prices/price_entry.hpp"
#include "catalog/prices/sheet_answer.hpp"
#include "price/sheet/sheet_list.hpp"

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

std::vector<std::string> notes_of(const SheetFile& file) {
  std::vector<std::string> notes;
  if (!file.unread.empty()) notes.push_back("not read: " + joined(file.unread, ", "));
  for (const SheetFile::LeftOut& one : file.left_out) {
    for (const Error& error : one.errors) notes.push_back(fmt::format("left out: {}: {}", error.where, error.what));
  }
  return notes;
}

Result<const PriceSheet*> find_sheet(const SheetFile& file, std::string_view name, std::string_view where) {
  const std::string wanted = lower_case(name);
  for (const SheetFile::LeftOut& one : file.left_out) {
    if (wanted == lower_case(one.model) || wanted == lower_case(one.provider + "/" + one.model))
      return fail(one.errors);
  }
  return find_sheet(file.sheets, name, where);
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
