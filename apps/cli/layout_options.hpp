#pragma once
// The words of `ridge layout`. Everything it is given goes into Options::settings, by the name of its flag.

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace ridge::cli {

void add_layout(CLI::App& main, Options& options);

/// Whether the command is `ridge layout`, and its command line read.
bool is_layout(int count, const char* const* arguments);
Parsed parse_layout(int count, const char* const* arguments);

}  // namespace ridge::cli
