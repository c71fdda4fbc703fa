#include "catalog/traces/trace_numbers.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/results/result_fields.hpp"

namespace ridge::catalog {

namespace {

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

/// digits x 10^power, with a sign.
struct DecimalParts {
  bool negative = false;
  std::uint64_t digits = 0;
  int power = 0;
};

/// 18 digits or more are kept, the rest moves the power alone.
std::optional<DecimalParts> decimal_parts(std::string_view text) {
  constexpr std::uint64_t kRoom = 900'000'000'000'000'000;  // ten times it, and a digit, fit 63 bits
  constexpr int kMostExponent = 9999;
  DecimalParts parts;
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) parts.negative = text[at++] == '-';
  bool any = false, fraction = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_decimal_digit(c)) break;
    any = true;
    if (parts.digits < kRoom) {
      parts.digits = parts.digits * 10 + static_cast<std::uint64_t>(c - '0');
      if (fraction) --parts.power;
    } else if (!fraction) {
      ++parts.power;
    }
    if (parts.power > kMostExponent || parts.power < -kMostExponent) return {};
  }
  if (!any) return {};
  if (at == text.size()) return parts;
  if (text[at] != 'e' && text[at] != 'E') return {};
  ++at;
  bool down = false;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) down = text[at++] == '-';
  if (at == text.size()) return {};
  int exponent = 0;
  for (; at < text.size(); ++at) {
    if (!is_decimal_digit(text[at])) return {};
    exponent = exponent * 10 + (text[at] - '0');
    if (exponent > kMostExponent) return {};
  }
  parts.power += down ? -exponent : exponent;
  return parts;
}

/// Days from 1970-01-01 to a day of the Gregorian calendar: 400 years from a 1st of March are 146,097 days, and the months
/// from March on begin at (153 m + 2) / 5.
std::int64_t days_since_1970(int year, int month, int day) {
  constexpr std::int64_t kFromYearZero = 719'468;  // of 0000-03-01 to 1970-01-01
  const std::int64_t shifted = month > 2 ? year : year - 1, from_march = month > 2 ? month - 3 : month + 9;
  return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + (153 * from_march + 2) / 5 + day - 1 -
         kFromYearZero;
}

int days_of_month(int year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

/// Two digits, or four; -1 where they are none.
int digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!is_decimal_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

/// "Z", "+02:00", "-0530" or nothing: minutes ahead of UTC.
std::optional<int> zone_minutes(std::string_view text) {
  if (text.empty() || text == "Z") return 0;
  if (text.front() != '+' && text.front() != '-') return {};
  const bool colon = text.size() == 6 && text[3] == ':';
  if (!colon && text.size() != 5) return {};
  const int hours = digits_at(text, 1, 2), minutes = digits_at(text, colon ? 4 : 3, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return {};
  return (text.front() == '-' ? -1 : 1) * (hours * 60 + minutes);
}

}  // namespace

std::optional<std::int64_t> scaled_decimal(std::string_view text, int power) {
  constexpr std::uint64_t kMost = 9'000'000'000'000'000'000;
  const auto parts = decimal_parts(text);
  if (!parts) return {};
  std::uint64_t value = parts->digits;
  int shift = parts->power + power;
  for (; shift > 0 && value > 0; --shift) {
    if (value > kMost / 10) return {};
    value *= 10;
  }
  std::uint64_t last = 0;  // the digit that was cut off last rounds
  for (; shift < 0 && (value > 0 || last > 0); ++shift) {
    last = value % 10;
    value /= 10;
  }
  if (last >= 5) ++value;
  if (value > kMost) return {};
  const auto whole = static_cast<std::int64_t>(value);
  return parts->negative ? -whole : whole;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  if (text.empty() || text.size() > 20) return {};
  std::uint64_t value = 0;
  for (const char c : text) {
    if (!is_decimal_digit(c)) return {};
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (kMost - digit) / 10) return {};
    value = value * 10 + digit;
  }
  return value;
}

std::optional<simulate::Nanoseconds> date_and_time(std::string_view text) {
  constexpr int kLastYear = 2200;           // its nanoseconds still fit
  constexpr std::size_t kToTheSecond = 19;  // 2023-11-16 18:15:46
  if (text.size() < kToTheSecond || text[4] != '-' || text[7] != '-' || (text[10] != ' ' && text[10] != 'T') ||
      text[13] != ':' || text[16] != ':')
    return {};
  const int year = digits_at(text, 0, 4), month = digits_at(text, 5, 2), day = digits_at(text, 8, 2);
  const int hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
  if (year < 1971 || year > kLastYear || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month))
    return {};
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return {};
  std::size_t at = kToTheSecond;
  simulate::Nanoseconds part = 0;
  if (at < text.size() && text[at] == '.') {
    simulate::Nanoseconds unit = simulate::kSecond / 10;
    const std::size_t first = ++at;
    for (; at < text.size() && is_decimal_digit(text[at]); ++at, unit /= 10) part += unit * (text[at] - '0');
    if (at == first) return {};
  }
  const auto zone = zone_minutes(text.substr(at));
  if (!zone) return {};
  const std::int64_t minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute - *zone;
  return (minutes * 60 + second) * simulate::kSecond + part;
}

std::string number_trouble(std::string_view text, std::string_view otherwise) {
  if (text.empty()) return "is empty";
  const std::string low = lower_case(text.substr(0, 16)), shown = safe_line(shortened(text));
  std::string_view bare = low;
  if (bare.starts_with('-') || bare.starts_with('+')) bare.remove_prefix(1);
  if (bare == "nan" || bare == "inf" || bare == "infinity") return fmt::format("{} is not finite", shown);
  const auto parts = decimal_parts(text);
  if (!parts) return fmt::format("\"{}\" is no number", shown);
  if (parts->negative && parts->digits > 0) return fmt::format("{} is negative", shown);
  return fmt::format("{} {}", shown, otherwise);
}

}  // namespace ridge::catalog
