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

int run_price_history(const Options& options, Program& program);
/// A published day of serving: what it cost and what it would have earned.
int run_day(const Options& options, Program& program);
/// A chip's hour, rented or owned, and what it is made of.
int run_cost(const Options& options, Program& program);
/// An open model on one's own chips against those who host it.
int run_host(const Options& options, Program& program);

/// Options of serving that mean nothing where tokens are priced.
Errors not_about_money(const Options& options);

}  // namespace ridge::cli
