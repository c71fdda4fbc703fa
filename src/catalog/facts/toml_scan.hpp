#pragma once
// A look at TOML text before the parser gets it.

#include <string_view>

#include "base/result.hpp"

namespace ridge::catalog {

/// Refuses what toml++ 3.3 trips over: control characters, letters beyond ASCII outside quotes or after a backslash, keys
/// nested so deep that its destructors run out of stack. TOML forbids all of it, but for a backslash at a line's end before
/// such a letter. Bytes that are no UTF-8 are refused with their line.
Result<bool> scan_toml(std::string_view text, std::string_view place);

}  // namespace ridge::catalog
