#pragma once
// A price sheet from the JSON that `ridge price --json` writes, so that it can be read backwards or compared.

#include <string_view>

#include "catalog/prices/price_file.hpp"

namespace ridge::catalog {

/// Whether a text of JSON says that it is such an answer.
bool is_sheet_answer(std::string_view text);

Result<SheetFile> read_sheet_answer(std::string_view text, std::string_view filename);

}  // namespace ridge::catalog
