#pragma once
// The words of `ridge tier`, `ridge context` and `ridge demand`. What they are given goes into Options::settings.

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace ridge::cli {

void add_tier(CLI::App& main, Options& options);

}  // namespace ridge::cli
