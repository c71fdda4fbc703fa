#pragma once

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace ridge::cli {

/// `history` below `ridge price`: it is then the command "price history".
void add_price_history(CLI::App& price, Options& options);
void add_cost(CLI::App& main, Options& options);
void add_day(CLI::App& main, Options& options);

}  // namespace ridge::cli
