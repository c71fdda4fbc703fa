#pragma once
// What --help prints, from the table of commands alone.

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace ridge::cli {

/// Of `ridge --help`: every command by what people want.
std::string main_help(const std::vector<Command>& all);
/// "usage: ridge plan MODEL [options]"
std::string usage(const Command& command);
/// Of one command: options in groups, examples, notes.
std::string command_help(const Command& command);

}  // namespace ridge::cli
