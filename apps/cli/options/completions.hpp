#pragma once
// Completions for shells and manual pages, from the table of commands alone.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace ridge::cli {

/// What an option's value may be: names of the catalog (by the word of `ridge completions`), files, or neither.
enum class Completes { nothing, files, models, machines, engines, formats };
Completes completed_by(const Option& option);
/// "machines": what to ask `ridge completions` for; empty where it has no list.
std::string_view list_word(Completes by);

/// A script for bash, zsh or fish; none for other shells.
std::optional<std::string> completion_script(std::string_view shell, const std::vector<Command>& all);

/// A manual page in roff: of the program, or of one command.
std::string main_manual(const std::vector<Command>& all, std::string_view version);
std::string command_manual(const Command& command, std::string_view version);
/// "ridge-price-history": the name of a command's page.
std::string manual_name(const Command& command);

}  // namespace ridge::cli
