#pragma once
// Money that is not dollars, or is below nothing: read nowhere, and named where it is met.

#include <optional>
#include <string_view>

#include "base/result.hpp"

namespace ridge {

/// The currency other than the US dollar that a text names by sign, code or word: "euros (EUR)"; empty: none.
std::string_view other_currency(std::string_view text);

/// "USD", "usd" or "$".
bool is_dollar(std::string_view currency);

/// What is wrong with the money in a text that could not be read: another currency, or a minus sign before the dollars.
std::optional<Error> money_error(std::string_view text, std::string_view where);

}  // namespace ridge
