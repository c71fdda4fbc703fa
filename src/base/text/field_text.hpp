#pragma once
// Fields of a question that a text speaks of. The core knows a question's fields ("tp", "kv"), not how somebody gives
// them: the command line shows "--tp 8" where the core wrote field("tp", "8"), a page its own words.

#include <functional>
#include <string>
#include <string_view>

namespace ridge {

/// A mark in a text for a field, and for the value that it might be given.
std::string field(std::string_view name, std::string_view value = {});

/// The text with every mark replaced by what `show` makes of its name and value (empty: none).
std::string with_fields_shown(std::string_view text,
                              const std::function<std::string(std::string_view name, std::string_view value)>& show);

/// Marks as plain words: "tp" or "tp = 8".
std::string with_plain_fields(std::string_view text);

}  // namespace ridge
