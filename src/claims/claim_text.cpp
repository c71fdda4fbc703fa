#include "claims/claim_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

namespace {

constexpr int kDigits = 3;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// A share as people write it: two digits, no more decimals than that takes.
std::string percent_of(double share) { return significant(share * 100, 2) + "%"; }

std::optional<Measure> number_named(std::string_view key, const Claim& claim, const std::vector<Figure>& figures) {
  constexpr std::string_view kGiven = "given.";
  if (key.starts_with(kGiven)) {
    const auto found = claim.given.find(key.substr(kGiven.size()));
    if (found == claim.given.end()) return std::nullopt;
    return found->second.value;
  }
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const Figure& one) { return one.key == key; });
  if (found == figures.end()) return std::nullopt;
  return Measure{found->value, found->dimension};
}

/// As prose has it: millions of tokens as counts of parameters are shown ("7.32T tokens"), prices of memory by the GB.
std::string shown_in_prose(const Measure& number, int digits) {
  constexpr double kMany = 1e6, kGigabyte = 1e9;
  const bool rate = number.dimension == kToken / kSecond;
  if ((number.dimension == kToken || rate) && std::fabs(number.value) >= kMany) {
    const std::string count = show(number.value, kParam, digits);
    return count.substr(0, count.find(' ')) + (rate ? " tok/s" : " tokens");
  }
  if (number.dimension == kDollar / kByte) return money(number.value * kGigabyte, digits) + "/GB";
  const std::string text = show(number.value, number.dimension, digits);
  return text.ends_with(" day") && !text.starts_with("1 ") ? text + "s" : text;
}

/// Empty: the form means nothing, or not for this number.
std::string formatted(const Measure& number, std::string_view form) {
  if (form.empty()) return shown_in_prose(number, kDigits);
  if (form.size() == 1 && is_digit(form[0]) && form[0] != '0') return shown_in_prose(number, form[0] - '0');
  if (form == "#") return significant(number.value, kDigits);
  if (number.dimension != kNone) return "";
  if (form == "%") return percent_of(number.value);
  if (form == "+%") return percent_of(number.value - 1);
  if (form == "1/") return "1/" + with_commas(std::round(1 / number.value));
  return "";
}

void erase_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) text.erase(at, what.size());
}

/// Without what stands between two marks, the marks included.
std::string without_between(std::string text, char open, char close) {
  for (std::size_t from = text.find(open); from != std::string::npos; from = text.find(open, from)) {
    const std::size_t to = text.find(close, from + 1);
    if (to == std::string::npos) break;
    text.erase(from, to - from + 1);
  }
  return text;
}

}  // namespace

Result<std::string> rendered(std::string_view text, const Claim& claim, const std::vector<Figure>& figures) {
  std::string out;
  Errors errors;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = std::min(text.find('{', at), text.size());
    out += text.substr(at, open - at);
    if (open == text.size()) break;
    const std::size_t close = std::min(text.find('}', open), text.size());
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const std::size_t colon = std::min(inside.find(':'), inside.size());
    const std::string_view key = inside.substr(0, colon);
    const std::string_view form = colon == inside.size() ? std::string_view() : inside.substr(colon + 1);
    const auto number = number_named(key, claim, figures);
    const std::string shown = number ? formatted(*number, form) : "";
    if (!number) {
      std::vector<std::string> keys;
      for (const Figure& one : figures) keys.push_back(one.key);
      errors.push_back({"claim " + claim.id, fmt::format("its condition names a figure \"{}\" that there is not", key),
                        suggestion(std::string(key), keys)});
    } else if (shown.empty()) {
      errors.push_back({"claim " + claim.id, fmt::format("{{{}}}: the figure cannot be written so", inside),
                        "a number of digits, %, +%, 1/ or #; the shares are of plain numbers"});
    }
    out += shown;
    at = std::min(close + 1, text.size());
  }
  if (!errors.empty()) return fail(std::move(errors));
  return out;
}

std::string typed_digits(std::string_view text, const std::vector<std::string>& names) {
  std::string left = without_between(without_between(std::string(text), '{', '}'), '"', '"');
  for (const std::string& name : names) {
    if (std::any_of(name.begin(), name.end(), is_digit)) erase_all(left, name);
  }
  std::string typed;
  for (std::size_t at = 0; at < left.size(); ++at) {
    if (!is_word(left[at])) continue;
    std::size_t end = at;  // a word: letters and digits, and what joins them (V3.2, S-BASE)
    while (end < left.size() &&
           (is_word(left[end]) || (left[end] == '.' && end + 1 < left.size() && is_word(left[end + 1]))))
      ++end;
    const std::string word = left.substr(at, end - at);
    if (is_digit(word[0])) typed += (typed.empty() ? "" : " ") + word;
    at = end;
  }
  return typed;
}

}  // namespace ridge
