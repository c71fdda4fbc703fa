#pragma once
// What the table alone says of a text given to an option; whoever fills Arguments asks, a command line or a request.

#include <string>

#include "cli/command.hpp"

namespace ridge::cli {

/// What is wrong with the text: it is empty, or not within the option's limits. Empty: nothing.
std::string wrong_text(const Option& option, const std::string& text);

}  // namespace ridge::cli
