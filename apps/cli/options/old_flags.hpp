#pragma once
// Flags that were renamed: whoever types an old one is told the new one. docs/json.md has the same table.

#include <optional>
#include <string>
#include <string_view>

namespace ridge::cli {

/// What to type instead of a flag that a command no longer has: "--guesses is now --speculative-tokens".
std::optional<std::string> hint_for(std::string_view command, std::string_view flag);

}  // namespace ridge::cli
