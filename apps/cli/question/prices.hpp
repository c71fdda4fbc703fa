#pragma once
// The price sheets a command works with.

#include "catalog/prices/price_file.hpp"
#include "cli/program.hpp"
#include "price/sheet/sheet_list.hpp"

namespace ridge::cli {

/// The built-in sheets with those of the user's folder over them. Read when asked for: most commands need none.
Result<std::vector<PriceSheet>> price_sheets(const Program& program);

/// A file of prices: ours or LiteLLM's map.
Result<catalog::SheetFile> sheet_file(const std::string& path);

/// Of everything built in, those of price sheets included, and of the user's folder; by name.
std::vector<Source> all_sources(const Program& program);

}  // namespace ridge::cli
