#pragma once
// Reads a printed formula back: numbers with units ("8 TB/s"), symbols, + - · * / ^ and max, min, sqrt, ln,
// balance (base/number/scalar.hpp).
// The renderer uses it to print enough digits; the tests use it to show that a derivation says what it means.

#include <functional>
#include <optional>
#include <string_view>

namespace ridge::report {

using SymbolValue = std::function<std::optional<double>(std::string_view)>;

/// The value in base units, or nothing where the text is not a formula or a symbol is unknown. Division signs stand
/// between spaces; a slash inside a unit does not.
std::optional<double> evaluate(std::string_view formula, const SymbolValue& symbols = {});

}  // namespace ridge::report
