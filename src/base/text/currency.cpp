#include "base/text/currency.hpp"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

namespace {

struct Named {
  std::string_view name, title;
};

constexpr std::array kSigns = {Named{"€", "euros (EUR)"},    Named{"£", "pounds (GBP)"},
                               Named{"元", "yuan (CNY)"},    Named{"₹", "rupees (INR)"},
                               Named{"₩", "won (KRW)"},      Named{"¥", "yen or yuan (JPY, CNY)"},
                               Named{"₽", "roubles (RUB)"}};

/// Codes and words, as whole runs of letters.
constexpr std::array kWords = {Named{"eur", "euros (EUR)"},
                               Named{"euro", "euros (EUR)"},
                               Named{"euros", "euros (EUR)"},
                               Named{"gbp", "pounds (GBP)"},
                               Named{"pounds", "pounds (GBP)"},
                               Named{"jpy", "yen (JPY)"},
                               Named{"yen", "yen (JPY)"},
                               Named{"cny", "yuan (CNY)"},
                               Named{"rmb", "yuan (CNY)"},
                               Named{"yuan", "yuan (CNY)"},
                               Named{"inr", "rupees (INR)"},
                               Named{"krw", "won (KRW)"},
                               Named{"rub", "roubles (RUB)"},
                               Named{"chf", "Swiss francs (CHF)"},
                               Named{"cad", "Canadian dollars (CAD)"},
                               Named{"aud", "Australian dollars (AUD)"}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Runs of letters, in lower case: "2 EUR/Mtok" has "eur" and "mtok".
std::vector<std::string> letter_runs(std::string_view text) {
  std::vector<std::string> runs(1);
  for (const char c : lower_case(text)) {
    if (is_letter(c)) {
      runs.back() += c;
    } else if (!runs.back().empty()) {
      runs.emplace_back();
    }
  }
  return runs;
}

}  // namespace

std::string_view other_currency(std::string_view text) {
  for (const Named& sign : kSigns) {
    if (text.find(sign.name) != std::string_view::npos) return sign.title;
  }
  for (const std::string& run : letter_runs(text)) {
    for (const Named& word : kWords) {
      if (run == word.name) return word.title;
    }
  }
  return {};
}

bool is_dollar(std::string_view currency) { return lower_case(currency) == "usd" || currency == "$"; }

std::optional<Error> money_error(std::string_view text, std::string_view where) {
  if (const std::string_view currency = other_currency(text); !currency.empty()) {
    return Error{std::string(where),
                 fmt::format("\"{}\" is in {}, and only dollars are read", shortened(text), currency),
                 "convert it and write $ or USD: rates of exchange are not ours to guess"};
  }
  if (trimmed(text).starts_with("-$")) {
    return Error{std::string(where), fmt::format("\"{}\" has a minus sign", shortened(text)),
                 "a price is zero or more: leave the sign out"};
  }
  const std::string_view start = trimmed(text);
  if (const std::size_t dollar = start.find('$');
      dollar != std::string_view::npos && dollar > 0 && is_letter(start[0])) {
    return Error{std::string(where),
                 fmt::format("\"{}\" begins with {}", shortened(text), shortened(start.substr(0, dollar + 1))),
                 "US dollars are $ alone; others have to be converted"};
  }
  return std::nullopt;
}

}  // namespace ridge
