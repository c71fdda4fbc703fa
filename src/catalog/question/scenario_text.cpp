#include "catalog/question/scenario_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/currency.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "roofline/dependents.hpp"

namespace ridge::catalog {

namespace {

const std::vector<std::string>& word_options() {
  static const std::vector<std::string> words = {"model",     "machine", "weights", "experts",
                                                 "attention", "kv",      "price",   "price_basis"};
  return words;
}

// The dimension of an input that may be named by a key, a symbol, or a matrix peak by its format.
Result<Dimension> dimension_of(std::string_view key, std::string_view where) {
  if (const int index = find_input(key); index >= 0) return input_dimension(static_cast<std::size_t>(index));
  if (key == "matmul" || key.starts_with("matmul.")) return kFlop / kSecond;
  std::vector<std::string> known = word_options();
  for (const std::string& input : input_keys()) known.push_back(input);
  return fail({std::string(where), fmt::format("unknown option \"{}\"", shortened(key)), suggestion(key, known)});
}

}  // namespace

Result<bool> set_option(Scenario& scenario, std::string_view key, std::string_view text, std::string_view where) {
  const std::string value(trimmed(text));
  if (key.empty()) return fail({std::string(where), "there is no name before =", "write KEY=VALUE"});
  if (value.empty()) {
    return fail({std::string(where), fmt::format("{} is empty", shortened(key)), "give it a value or leave it out"});
  }
  const bool is_format = key == "weights" || key == "experts" || key == "attention" || key == "kv";
  if (is_format && parse_measure(value, where) && !value.starts_with("int")) {
    return fail(
        {std::string(where), fmt::format("\"{}\" is a number, but {} is a format", shortened(value), key),
         fmt::format("ridge list formats; as numbers there are {}", joined(nearest(key, input_keys(), 3), ", "))});
  }
  if (key == "model")
    scenario.model = value;
  else if (key == "machine")
    scenario.machine = value;
  else if (key == "weights")
    scenario.weights = value;
  else if (key == "experts")
    scenario.experts = value;
  else if (key == "attention")
    scenario.attention = value;
  else if (key == "kv")
    scenario.kv = value;
  else if (key == "price_basis" || (key == "price" && parse_price_basis(value, where))) {
    const auto basis = parse_price_basis(value, where);
    if (!basis) return fail(basis.error());
    scenario.price_basis = *basis;
  } else {
    const auto dimension = dimension_of(key, where);
    if (!dimension) return fail(dimension.error());
    const auto number = parse_as(value, *dimension, where);
    if (!number && key == "price" && !parse_measure(value, where) && !money_error(value, where)) {
      return fail({std::string(where), number.error().front().what,
                   "write a price such as $2.10/h, or a basis: on-demand, reserved-1y, reserved-3y, owned"});
    }
    if (!number) return fail(number.error());
    if (const int index = find_input(key); index >= 0) {
      const auto checked = checked_input(static_cast<std::size_t>(index), *number, where);
      if (!checked) return fail(checked.error());
      if (input_info(static_cast<std::size_t>(index)).domain == Domain::at_least_one &&
          *number != std::floor(*number)) {
        return fail(
            {std::string(where), fmt::format("{} = {} is not a whole number", key, shortened(value)), "round it"});
      }
    }
    scenario.given.push_back({std::string(key), *number, {std::string(where), Kind::user, ""}});
  }
  return true;
}

Result<bool> override_option(Scenario& scenario, std::string_view key, std::string_view text, std::string_view where) {
  forget_dependents(scenario, key);
  return set_option(scenario, key, text, where);
}

Result<RangeText> split_range(std::string_view text, std::string_view where) {
  const std::size_t equals = text.find('=');
  const std::size_t dots = text.find("..", equals == std::string_view::npos ? 0 : equals);
  if (equals == std::string_view::npos || dots == std::string_view::npos) {
    return fail({std::string(where), fmt::format("\"{}\" is not a range", shortened(text)),
                 "write KEY=LOW..HIGH, e.g. 'hbm=6.5..8 TB/s'"});
  }
  return RangeText{std::string(trimmed(text.substr(0, equals))),
                   std::string(trimmed(text.substr(equals + 1, dots - equals - 1))),
                   std::string(trimmed(text.substr(dots + 2)))};
}

Result<Interval> parse_range(const RangeText& range, Dimension dimension, std::string_view where) {
  // "6.5..8 TB/s" and "$2..4/h": the ends share the unit of the high one and the dollar sign of either
  const bool dollars = range.low.starts_with('$') || range.high.starts_with('$');
  const auto without_sign = [](const std::string& text) { return text.starts_with('$') ? text.substr(1) : text; };
  const std::string high_end = without_sign(range.high);
  std::string low_end = without_sign(range.low);
  const std::size_t unit = high_end.find_first_not_of("0123456789+-.eE");
  if (parse_number(low_end) && unit != std::string::npos) low_end += high_end.substr(unit);
  const std::string sign = dollars ? "$" : "";
  const auto high = parse_as(sign + high_end, dimension, where);
  if (!high) return fail(high.error());
  const auto low = parse_as(sign + low_end, dimension, where);
  if (!low) return fail(low.error());
  if (*low > *high)
    return fail(
        {std::string(where), fmt::format("{} is above {}", range.low, range.high), "write the smaller end first"});
  return Interval(*low, *high);
}

}  // namespace ridge::catalog
