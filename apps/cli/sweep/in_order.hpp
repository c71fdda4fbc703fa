#pragma once
// Texts that take long to make: every thread makes some, and each is printed as soon as those before it are.

#include <cstddef>
#include <functional>
#include <string>

namespace ridge::cli {

/// Prints `make(0)`, `make(1)`, ...: an exit code. How far it is stands on standard error, unless `quiet` or the texts
/// themselves are seen to come in a terminal.
int print_in_order(std::size_t count, const std::function<std::string(std::size_t)>& make, bool quiet);

}  // namespace ridge::cli
