#pragma once
// A look at TOML text before the parser gets it.

#include <string_view>

#include "base/result.hpp"

namespace ridge::catalog {

/// Refuses what TOML forbids anyway but toml++ 3.3 trips over: control characters, letters beyond ASCII outside quotes
/// (both reach code it believes unreachable), and keys nested so deep that its destructors run out of stack; and bytes
/// that are no UTF-8, with their line.
Result<bool> scan_toml(std::string_view text, std::string_view place);

}  // namespace ridge::catalog
