#pragma once
// Price sheets from text: a file of ours (TOML), LiteLLM's price map or an answer of `ridge price` (JSON), or the
// catalog's facts.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/fact.hpp"
#include "price/sheet.hpp"

namespace ridge::catalog {

/// What a file of prices held.
struct SheetFile {
  std::vector<PriceSheet> sheets;
  std::vector<std::string> unread;  // what was there and is not a price of tokens: "input_cost_per_image (12 models)"
};

/// A price file by its text: LiteLLM's map or our own answer if it begins as JSON does, our own TOML otherwise. `filename` stands in
/// errors, and names a sheet that has no name of its own. Every sheet passed check_sheet; none is left out silently.
Result<SheetFile> read_sheet_file(std::string_view text, std::string_view filename);

/// The same without the list of what was not read.
Result<std::vector<PriceSheet>> read_sheets(std::string_view text, std::string_view filename);

/// Sheets of the catalog, from the facts of its category "price" and the sources beside them.
Result<std::vector<PriceSheet>> price_sheets(const std::vector<Fact>& facts);

/// The built-in price facts and their sources. Apart from embedded_facts(): few commands ask for them, and nobody else
/// should wait.
std::vector<Fact> embedded_price_facts();

}  // namespace ridge::catalog
