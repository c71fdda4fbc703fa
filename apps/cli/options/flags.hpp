#pragma once
// Fields as flags. The core names the fields of a question ("token_budget", and marks of base/text/field_text.hpp); people
// type flags ("--token-budget").

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/command.hpp"
#include "roofline/answer.hpp"

namespace ridge::cli {

/// How a command takes a field: "--on" of "machine", "MODEL" of "model"; where it has no such option, as the others do.
std::string flag_of(std::string_view field, const Command& command);

/// A text with every mark of a field shown as its flag: "--tp 8".
std::string in_flags(std::string_view text, const Command& command);
/// The same of an answer's notes or ways out, before they reach a report.
void in_flags(std::vector<std::string>& texts, const Command& command);
void in_flags(WhyAnswer& answer, const Command& command);
/// The same of errors; a place that is a field of the command is shown as its flag, too.
Errors in_flags(Errors errors, const Command& command);

}  // namespace ridge::cli
