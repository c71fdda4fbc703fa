#pragma once
// Small text helpers: nearest names for errors, number words, joining.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

std::string_view trimmed(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string joined(const std::vector<std::string>& words, std::string_view separator);
/// Appends the text unless it is there already.
void add_once(std::vector<std::string>& texts, const std::string& text);
std::string lower_case(std::string_view text);
inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// A user's text as it is quoted in an error: at most 60 characters of it.
std::string shortened(std::string_view text);

bool is_utf8(std::string_view text);

/// A decimal number that fills the whole text; nothing else, and neither "nan" nor "inf".
std::optional<double> parse_number(std::string_view text);

/// 12345.6 -> "12,346"; large and small numbers in scientific form.
std::string with_commas(double value);

/// `digits` significant digits without an exponent where that stays short: 0.00225, 12.6, 1.30e+21.
std::string significant(double value, int digits);

/// Letters to put in, take out or replace between two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The names closest to a mistyped one, best first, only those that look like a slip of the same word.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known, std::size_t count);

/// "did you mean a, b or c?", or the first known names where nothing is close.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace ridge
