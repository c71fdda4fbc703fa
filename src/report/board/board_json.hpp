#pragma once
// ridge board as JSON: where the page is, and the state it opens in.

#include <string>
#include <string_view>

namespace ridge::report {

/// `kind` is "address" or "file".
std::string board_json(std::string_view kind, const std::string& place, const std::string& state);

}  // namespace ridge::report
