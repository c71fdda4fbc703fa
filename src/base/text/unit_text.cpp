#include "base/text/unit_text.hpp"

#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text/currency.hpp"
#include "base/text/text.hpp"

namespace ridge {

namespace {

struct Unit {
  std::string_view name;
  double scale;
  Dimension dimension;
  bool takes_prefix;
};

constexpr Dimension kWatt = kJoule / kSecond;

constexpr std::array kUnits = {
    Unit{"B", 1, kByte, true},
    Unit{"byte", 1, kByte, false},
    Unit{"bytes", 1, kByte, false},
    Unit{"FLOP", 1, kFlop, true},
    Unit{"FLOPs", 1, kFlop, true},
    Unit{"s", 1, kSecond, true},
    Unit{"second", 1, kSecond, false},
    Unit{"seconds", 1, kSecond, false},
    Unit{"min", 60, kSecond, false},
    Unit{"h", 3600, kSecond, false},
    Unit{"hour", 3600, kSecond, false},
    Unit{"hours", 3600, kSecond, false},
    Unit{"d", 86400, kSecond, false},
    Unit{"day", 86400, kSecond, false},
    Unit{"days", 86400, kSecond, false},
    Unit{"year", 31557600, kSecond, false},
    Unit{"years", 31557600, kSecond, false},
    Unit{"$", 1, kDollar, true},
    Unit{"USD", 1, kDollar, false},
    Unit{"tok", 1, kToken, true},
    Unit{"token", 1, kToken, true},
    Unit{"tokens", 1, kToken, true},
    Unit{"param", 1, kParam, true},
    Unit{"params", 1, kParam, true},
    Unit{"J", 1, kJoule, true},
    Unit{"W", 1, kWatt, true},
    Unit{"Wh", 3600, kJoule, true},
    Unit{"%", 0.01, kNone, false},
};

struct Prefix {
  std::string_view name;
  double scale;
};

constexpr std::array kPrefixes = {
    Prefix{"Ki", 0x1p10}, Prefix{"Mi", 0x1p20}, Prefix{"Gi", 0x1p30}, Prefix{"Ti", 0x1p40}, Prefix{"Pi", 0x1p50},
    Prefix{"k", 1e3},     Prefix{"M", 1e6},     Prefix{"G", 1e9},     Prefix{"T", 1e12},    Prefix{"P", 1e15},
    Prefix{"E", 1e18},    Prefix{"m", 1e-3},    Prefix{"u", 1e-6},    Prefix{"µ", 1e-6},    Prefix{"n", 1e-9},
};

std::optional<double> prefix_scale(std::string_view name) {
  for (const Prefix& prefix : kPrefixes) {
    if (prefix.name == name) return prefix.scale;
  }
  return {};
}

constexpr double kBillion = 1e9;

/// k, M, G, T, Ki, ... behind a number; where it cannot be bytes, B for a billion.
std::optional<double> multiplier(std::string_view word, bool may_be_billion) {
  if (word == "B" && may_be_billion) return kBillion;
  const auto scale = prefix_scale(word);
  return scale && *scale > 1.0 ? scale : std::nullopt;
}

/// "B params", "T tokens": a count with its short word apart.
std::optional<Measure> find_count(std::string_view word) {
  const std::size_t space = word.find(' ');
  if (space != 1) return {};
  const std::string_view what = trimmed(word.substr(space));
  const bool params = what == "params" || what == "param";
  if (!params && what != "tokens" && what != "token" && what != "tok") return {};
  const auto scale = multiplier(word.substr(0, 1), true);
  return scale ? std::optional(Measure{*scale, params ? kParam : kToken}) : std::nullopt;
}

std::optional<Measure> find_unit(std::string_view word) {
  if (const auto count = find_count(word)) return count;
  for (const Unit& unit : kUnits) {
    if (unit.name == word) return Measure{unit.scale, unit.dimension};
    if (!unit.takes_prefix || word.size() <= unit.name.size() || !word.ends_with(unit.name)) continue;
    if (const auto scale = prefix_scale(word.substr(0, word.size() - unit.name.size()))) {
      return Measure{*scale * unit.scale, unit.dimension};
    }
  }
  return {};
}

// What people write that is not a unit here, and what they most likely mean.
std::string unknown_unit_hint(std::string_view word) {
  if (word.starts_with(',')) return "one number at a time, without separators; ridge curve shows a whole range";
  if (word.ends_with("bit") || word.ends_with("bits") || word.ends_with("bps") ||
      (word.size() == 2 && word[1] == 'b')) {
    return "bits are not accepted: divide by 8 and write bytes, e.g. 400 Gbit/s is 50 GB/s";
  }
  if (word.ends_with("FLOPS") || word.ends_with("FLOP/S") || word.ends_with("flops")) {
    return "write a rate as FLOP/s, e.g. 989 TFLOP/s";
  }
  if (word.starts_with("month") || word.starts_with("week"))
    return "write days: two months are 60 days, a week is 7 days";
  if (word.starts_with("K")) return "write k for 1,000 or Ki for 1,024";
  if (word == "GBps" || word == "TBps") return "write GB/s or TB/s";
  return "units are B, FLOP, s, min, h, day, year, $, token, param, W, Wh, J and %, with k M G T P, Ki Mi Gi Ti or m u "
         "n "
         "before them, joined by /";
}

struct SplitNumber {
  bool dollars = false;
  std::string_view number;
  std::string_view rest;  // what follows the number, not trimmed
};

SplitNumber split_number(std::string_view text) {
  SplitNumber split;
  const bool negative_dollars = text.starts_with("-$");
  if (text.starts_with('$')) {
    split.dollars = true;
    text = trimmed(text.substr(1));
  }
  std::size_t end = text.find_first_not_of("0123456789+-.eE");
  if (end == std::string_view::npos) end = text.size();
  // "2E" or "3e" with nothing after it is a number and a word, not an exponent
  while (end > 0 && (text[end - 1] == 'e' || text[end - 1] == 'E')) --end;
  split.number = negative_dollars ? std::string_view{} : text.substr(0, end);
  split.rest = text.substr(split.number.size());
  return split;
}

Result<Measure> parse_unit(std::string_view expression, std::string_view text, std::string_view where) {
  Measure unit{1.0, kNone};
  bool first = true;
  for (const std::string& part : split(expression, '/')) {
    const std::string_view word = trimmed(part);
    if (word.empty() && first) {  // "$2/h" leaves "/h" after the number
      first = false;
      continue;
    }
    const auto found = find_unit(word);
    if (!found) {
      if (const auto money = money_error(text, where)) return fail(*money);
      return fail({std::string(where), fmt::format("\"{}\": unknown unit \"{}\"", shortened(text), shortened(word)),
                   unknown_unit_hint(word)});
    }
    unit.value = first ? unit.value * found->value : unit.value / found->value;
    unit.dimension = first ? unit.dimension * found->dimension : unit.dimension / found->dimension;
    first = false;
  }
  return unit;
}

}  // namespace

Result<Measure> parse_measure(std::string_view text, std::string_view where) {
  const SplitNumber split = split_number(trimmed(text));
  const auto number = parse_number(split.number);
  if (!number) {
    if (const auto money = money_error(text, where)) return fail(*money);
    return fail({std::string(where), fmt::format("\"{}\" does not begin with a finite number", shortened(text)),
                 "write a number and its unit, e.g. \"80 GB\" (no thousands separators)"});
  }
  Measure measure{*number, split.dollars ? kDollar : kNone};
  std::string_view rest = split.rest;
  // a multiplier glued to the number and standing alone: "32k tokens", "2M", "$3k"
  const std::size_t word_end = std::min(rest.find_first_of(" \t/"), rest.size());
  const bool before_unit = word_end < rest.size() && rest[word_end] != '/';  // "70B params"; "80B" alone is bytes
  if (const auto scale = multiplier(rest.substr(0, word_end), before_unit || split.dollars)) {
    measure.value *= *scale;
    rest = rest.substr(word_end);
  }
  rest = trimmed(rest);
  if (!rest.empty()) {
    const auto unit = parse_unit(rest, text, where);
    if (!unit) return unit;
    measure.value *= unit->value;
    measure.dimension = measure.dimension * unit->dimension;
  }
  if (!std::isfinite(measure.value)) {
    return fail(
        {std::string(where), fmt::format("\"{}\" is too large for a number", shortened(text)), "check the prefix"});
  }
  return measure;
}

namespace {

// The two readings a person may have meant by a bare number.
std::string readings(double value, Dimension dimension) {
  const auto both = [&](std::string_view a, double scale_a, std::string_view b, double scale_b, std::string_view base) {
    return fmt::format("write {0:g} {1} ({2:.4g} {5}) or {0:g} {3} ({4:.4g} {5})", value, a, value * scale_a, b,
                       value * scale_b, base);
  };
  if (dimension == kByte) return both("GB", 1e9, "GiB", 0x1p30, "B");
  if (dimension == kByte / kSecond) return both("TB/s", 1e12, "GB/s", 1e9, "B/s");
  if (dimension == kFlop / kSecond) return both("TFLOP/s", 1e12, "PFLOP/s", 1e15, "FLOP/s");
  if (dimension == kSecond) return both("ms", 1e-3, "s", 1, "s");
  if (dimension == kByte / kToken) return both("B/token", 1, "kB/token", 1e3, "B/token");
  if (dimension == kByte / kParam) return both("B/param", 1, "B/param", 1, "B/param");
  if (dimension == kDollar / kSecond) return fmt::format("write ${0:g}/h or ${0:g}/s", value);
  if (dimension == kDollar / kToken) return fmt::format("write ${0:g}/Mtok or ${0:g}/ktok", value);
  if (dimension == kWatt) return both("W", 1, "kW", 1e3, "W");
  return fmt::format("write {:g} {}", value, unit_name(dimension));
}

}  // namespace

std::string unit_example(Dimension dimension) {
  if (dimension == kByte) return "80 GB";
  if (dimension == kByte / kSecond) return "4.8 TB/s";
  if (dimension == kFlop / kSecond) return "989 TFLOP/s";
  if (dimension == kSecond) return "20 ms";
  if (dimension == kToken) return "32k tokens";
  if (dimension == kParam) return "37B";
  if (dimension == kDollar / kSecond) return "$2.10/h";
  if (dimension == kNone) return "64";
  return "1 " + unit_name(dimension);
}

Result<double> parse_as(std::string_view text, Dimension dimension, std::string_view where) {
  const auto measure = parse_measure(text, where);
  if (!measure) return fail(measure.error());
  if (measure->dimension == dimension) return measure->value;
  // tokens and parameters are counted in one unit only, so a bare count has one reading
  const bool counts = dimension == kToken || dimension == kParam;
  if (measure->dimension == kNone && counts) return measure->value;
  // where a count is wanted, "70B" is 70 billion, not bytes
  const std::string_view word = trimmed(text);
  const bool billions = word.ends_with('B') && split_number(word).rest.find_first_not_of(" \tB") == std::string::npos;
  if ((counts || dimension == kNone) && measure->dimension == kByte && billions) return measure->value * kBillion;
  if (measure->dimension == kNone) {
    return fail({std::string(where), fmt::format("\"{}\": unit missing", shortened(text)),
                 readings(measure->value, dimension)});
  }
  const std::string needed = dimension == kNone ? "a plain number" : unit_name(dimension);
  std::string hint = "write for example " + unit_example(dimension);
  if (dimension == kParam && measure->dimension == kByte) hint = "billions of parameters are written 70B";
  return fail({std::string(where),
               fmt::format("\"{}\" is in {}, but {} is needed", shortened(text), unit_name(measure->dimension), needed),
               hint});
}

std::string unit_name(Dimension dimension) {
  const std::array<std::pair<int, std::string_view>, 7> parts = {{{dimension.dollar, "$"},
                                                                  {dimension.byte, "B"},
                                                                  {dimension.flop, "FLOP"},
                                                                  {dimension.joule, "J"},
                                                                  {dimension.token, "token"},
                                                                  {dimension.param, "param"},
                                                                  {dimension.second, "s"}}};
  std::string above, below;
  for (const auto& [exponent, name] : parts) {
    for (int i = 0; i < exponent; ++i) above += (above.empty() ? "" : "·") + std::string(name);
    for (int i = 0; i < -exponent; ++i) below += "/" + std::string(name);
  }
  if (above.empty() && !below.empty()) above = "1";
  return above + below;
}

namespace {

DisplayUnit with_prefix(double value, std::string_view leading, std::string_view rest) {
  static constexpr std::array<Prefix, 9> kScale = {
      {{"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}}};
  const double size = std::fabs(value);
  const bool fractions = leading == "s" || leading == "J";
  Prefix chosen{"", 1};
  for (const Prefix& prefix : kScale) {
    if ((prefix.scale < 1 && !fractions) || (prefix.scale > 1 && leading == "s")) continue;
    if (size < prefix.scale * 0.99995 && prefix.name != "n") continue;
    if (prefix.scale < 1 && size == 0.0) continue;
    chosen = prefix;
  }
  return {chosen.scale, fmt::format("{}{}{}", chosen.name, leading, rest)};
}

}  // namespace

DisplayUnit display_unit(double value, Dimension dimension) {
  if (dimension == kNone) return {1.0, ""};
  if (dimension == kDollar / kSecond) return {1.0 / 3600, "$/h"};
  if (dimension == kDollar / kToken) return {1e-6, "$/Mtok"};
  if (dimension == kDollar / kJoule) return {1.0 / 3.6e6, "$/kWh"};
  constexpr double kDay = 86400, kYear = 365.25 * kDay;
  if (dimension == kSecond && value >= kYear) return {kYear, "year"};
  if (dimension == kSecond && value >= kDay) return {kDay, "day"};
  if (dimension == kWatt) return with_prefix(value, "W", "");
  if (dimension == kToken) return {1.0, value == 1.0 ? "token" : "tokens"};
  if (dimension == kParam) {
    static constexpr std::array<Prefix, 4> kCounts = {{{"T", 1e12}, {"B", 1e9}, {"M", 1e6}, {"k", 1e3}}};
    for (const Prefix& one : kCounts) {
      if (std::fabs(value) >= one.scale * 0.99995) return {one.scale, fmt::format("{} params", one.name)};
    }
    return {1.0, "params"};
  }
  if (dimension == kToken / kSecond) return {1.0, "tok/s"};
  const std::string name = unit_name(dimension);
  const std::size_t slash = std::min(name.find('/'), name.size());
  const std::string leading = name.substr(0, slash);
  if (leading == "1" || leading == "$" || leading.find("·") != std::string::npos) return {1.0, name};
  return with_prefix(value, leading, name.substr(slash));
}

std::string money(double dollars, int digits) {
  if (!std::isfinite(dollars)) return "unbounded";
  const double size = std::fabs(dollars);
  const std::string sign = dollars < 0 ? "-$" : "$";
  static constexpr std::array<Prefix, 3> kLarge = {{{"T", 1e12}, {"B", 1e9}, {"M", 1e6}}};
  for (const Prefix& one : kLarge) {
    if (size >= one.scale * 0.9999995) return sign + significant(size / one.scale, digits) + std::string(one.name);
  }
  if (size >= 99.995) return sign + with_commas(std::round(size));
  if (size >= 1.0 || size == 0.0) return sign + fmt::format("{:.2f}", size);
  if (size < 1e-4 && size > 1e-12) {  // no exponents in money: $0.000041
    const int decimals = 1 - static_cast<int>(std::floor(std::log10(size)));
    return sign + fmt::format("{:.{}f}", size, decimals);
  }
  std::string number = significant(size, digits);
  if (number.size() == 3 && number.starts_with("0.")) number += '0';  // $0.30
  return sign + number;
}

std::string show(double value, Dimension dimension, int digits) {
  if (!std::isfinite(value)) return "unbounded";
  DisplayUnit unit = display_unit(value, dimension);
  if (unit.name.starts_with("$")) return money(value / unit.scale, digits) + unit.name.substr(1);
  std::string number = significant(value / unit.scale, digits);
  if (number == "1,000") {  // 999.9M, of three digits, is 1B
    unit = display_unit(1000 * unit.scale, dimension);
    number = significant(value / unit.scale, digits);
  }
  if (dimension == kParam && unit.scale > 1.0) return number + unit.name;  // 671B params
  return unit.name.empty() ? number : number + " " + unit.name;
}

std::string show_gib(double bytes) {
  const double size = bytes / 0x1p30;
  return std::fabs(size) < 999.95 ? fmt::format("{:.1f} GiB", size) : with_commas(std::round(size)) + " GiB";
}

}  // namespace ridge
