#pragma once
// A command line from its words to its exit code: what main does, and what a command does that runs another.

#include <string_view>

#include "cli/options/parse_options.hpp"

namespace ridge::cli {

/// Parses, starts and runs; the exit code.
int run_words(int count, char** words);

/// The words of a line such as "ridge why deepseek-v3 --set 'hbm.bandwidth=7 TB/s'", as a shell has them: what stands
/// between single quotes is one.
std::vector<std::string> words_of_line(std::string_view line);

/// What a line of ours asks.
Parsed parse_line(std::string_view line);
/// Runs a line of ours.
int run_line(std::string_view line);

}  // namespace ridge::cli
