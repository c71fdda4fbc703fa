#pragma once
// A price sheet in our own TOML: one table a sheet, or one sheet a file.

#include <string_view>
#include <vector>

#include "catalog/facts/grouped.hpp"
#include "price/sheet/sheet.hpp"

namespace ridge::catalog {

/// The facts of a price file. Where anything stands outside all tables, the file is one sheet and named after its file;
/// else every table is one, named provider/model@date.
Result<std::vector<Fact>> sheet_facts(std::string_view text, std::string_view place);

/// Whose sheets are read: the catalog's name their source; a user's own need not.
enum class SheetsOf { catalog, user };

/// The sheets among the facts, each passed by check_sheet; what is wrong is added to the errors.
std::vector<PriceSheet> read_sheet_entries(const std::vector<Fact>& facts, const Sources& sources, SheetsOf whose,
                                           Errors& errors);

}  // namespace ridge::catalog
