#include "catalog/facts/toml_date.hpp"

#include <algorithm>

namespace ridge::catalog {

namespace {

/// What the two digits say that a text begins with, taken off; -1 where there are none.
int leading_pair(std::string_view& text) {
  const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  if (!digit(0) || !digit(1)) return -1;
  const int value = 10 * (text[0] - '0') + (text[1] - '0');
  text.remove_prefix(2);
  return value;
}

bool takes(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool takes_date(std::string_view& text) {
  const int century = leading_pair(text), year = leading_pair(text);
  if (century < 0 || year < 0 || !takes(text, "-")) return false;
  const int month = leading_pair(text);
  if (month < 1 || month > 12 || !takes(text, "-")) return false;
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year != 0 || century % 4 == 0);
  const int day = leading_pair(text);
  return day >= 1 && day <= kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool takes_time(std::string_view& text) {
  const int hour = leading_pair(text);
  if (hour < 0 || hour > 23 || !takes(text, ":")) return false;
  const int minute = leading_pair(text);
  if (minute < 0 || minute > 59 || !takes(text, ":")) return false;
  const int second = leading_pair(text);
  if (second < 0 || second > 59) return false;
  if (!takes(text, ".")) return true;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(digits);
  return digits > 0;
}

bool takes_offset(std::string_view& text) {
  if (takes(text, "Zz")) return true;
  if (!takes(text, "+-")) return false;
  const int hour = leading_pair(text);
  if (hour < 0 || hour > 23 || !takes(text, ":")) return false;
  const int minute = leading_pair(text);
  return minute >= 0 && minute <= 59;
}

}  // namespace

bool is_toml_date(std::string_view word) {
  if (word.size() > 2 && word[2] == ':') return takes_time(word) && word.empty();
  if (!takes_date(word)) return false;
  if (word.empty()) return true;
  return takes(word, "Tt") && takes_time(word) && (word.empty() || (takes_offset(word) && word.empty()));
}

}  // namespace ridge::catalog
