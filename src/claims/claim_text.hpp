#pragma once
// Prose of a claim, rendered from its figures.

#include "claims/claim.hpp"

namespace ridge {

/// A text with figures in braces: {key} is a computed figure, {given.key} a number of the speaker, each with its unit and
/// three digits. After a colon: a number of digits; % a share in percent; +% growth over one in percent; 1/ one in so many;
/// # the number without its unit. A brace that names nothing is an error.
Result<std::string> rendered(std::string_view text, const Claim& claim, const std::vector<Figure>& figures);

/// The digits that somebody typed: what is left of a text without its braces, quotations ("so"), and names that hold
/// digits, be it with a letter before them (H100, C05, fp8) or as a whole (`names`: "Llama 3 70B"). Empty: none.
std::string typed_digits(std::string_view text, const std::vector<std::string>& names);

}  // namespace ridge
