#pragma once
// What nobody said and an answer takes nevertheless: it is listed, in the words that would say it.

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace ridge::cli {

/// Where neither model nor machine is named.
inline constexpr const char* kDefaultModel = "deepseek-v3";
inline constexpr const char* kDefaultMachine = "gb200-nvl72";

/// The arguments with a machine where none was given: first, as one that comes later would take back what was said of it.
Arguments with_default_machine(Arguments arguments);

/// "not given, so taken: deepseek-v3 --on gb200-nvl72 --kv fp8", before the other notes; nothing where all was said.
void note_defaults(std::vector<std::string>& notes, const std::vector<std::string>& taken);

}  // namespace ridge::cli
