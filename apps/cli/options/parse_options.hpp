#pragma once
// The command line against the table of commands.

#include <optional>

#include "cli/command.hpp"

namespace ridge::cli {

struct Parsed {
  Arguments arguments;
  std::optional<int> exit_code;  // set when parsing already answered (--help, --version, usage errors)
};

Parsed parse_options(int count, const char* const* words);

}  // namespace ridge::cli
