#pragma once
// The price sheets a command works with.

#include "catalog/price_file.hpp"
#include "cli/program.hpp"
#include "price/sheet_list.hpp"

namespace ridge::cli {

/// The built-in sheets with those of the user's folder over them. Read when asked for: most commands need none.
Result<std::vector<PriceSheet>> price_sheets(const Program& program);

}  // namespace ridge::cli
