#pragma once
// The options of `ridge sweep` and `ridge merge`.

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace ridge::cli {

void add_sweep(CLI::App& main, Options& options);

}  // namespace ridge::cli
