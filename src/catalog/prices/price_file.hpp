#pragma once
// Price sheets from text: a file of ours (TOML), LiteLLM's price map or an answer of `ridge price` (JSON), or the
// catalog's facts.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/facts/fact.hpp"
#include "price/sheet/sheet.hpp"

namespace ridge::catalog {

/// What a file of prices held.
struct SheetFile {
  /// A model of a stranger's map that cannot be meant, and why.
  struct LeftOut {
    std::string model, provider;
    Errors errors;
  };

  std::vector<PriceSheet> sheets;
  std::vector<std::string> unread;  // what was there and is not a price of tokens: "input_cost_per_image (12 models)"
  std::vector<LeftOut> left_out;
};

/// A price file by its text: LiteLLM's map or an answer of ours if it begins as JSON does, our own TOML otherwise.
/// `filename` stands in errors, and names a sheet that has no name of its own. Every sheet passed sheet_errors; none is left out silently:
/// a file of ours is refused with every error, a stranger's map only where nothing is left of it.
Result<SheetFile> read_sheet_file(std::string_view text, std::string_view filename);

/// Sentences about what was not read and what was left out.
std::vector<std::string> notes_of(const SheetFile& file);

/// The sheet of that name; where it was left out, why.
Result<const PriceSheet*> find_sheet(const SheetFile& file, std::string_view name, std::string_view where);

/// The sheets alone.
Result<std::vector<PriceSheet>> read_sheets(std::string_view text, std::string_view filename);

/// Sheets of the catalog, from the facts of its category "price" and the sources beside them.
Result<std::vector<PriceSheet>> price_sheets(const std::vector<Fact>& facts);

/// The built-in price facts and their sources. Apart from embedded_facts(): few commands ask for them, and nobody else
/// should wait.
std::vector<Fact> embedded_price_facts();

}  // namespace ridge::catalog
