#pragma once
// The words of `ridge lifecycle` and `ridge activations`. What they are given goes into Options::settings, by the key of
// the input it sets.

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace ridge::cli {

void add_lifecycle(CLI::App& main, Options& options);

}  // namespace ridge::cli
