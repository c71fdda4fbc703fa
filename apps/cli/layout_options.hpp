#pragma once
// The words of `ridge layout`. Everything it is given goes into Options::settings, by the name of its flag.

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace ridge::cli {

void add_layout(CLI::App& main, Options& options);

}  // namespace ridge::cli
