#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/number/scalar.hpp"
#include "base/text/request_rate.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/question/scenario_text.hpp"
#include "catalog/question/serving_text.hpp"
#include "catalog/question/sweep_file.hpp"
#include "simulate/simulation_fields.hpp"

namespace ridge::catalog {

namespace {

/// What the values of a key are.
struct AxisType {
  bool is_word = false, is_whole = false, may_be_word = false;
  Dimension dimension{};
  int input = -1;        // of the decode equations
  bool is_rate = false;  // of requests
};

std::optional<AxisType> type_of(std::string_view key, bool serves, bool simulates) {
  for (const std::string_view word : {"model", "machine", "weights", "experts", "attention", "kv"}) {
    if (key == word) return AxisType{.is_word = true};
  }
  if (serves) {
    if (const ServingOption* option = find_serving_option(key)) {
      return AxisType{.is_word = option->is_word,
                      .is_whole = option->is_whole,
                      .dimension = option->dimension,
                      .is_rate = option->is_rate};
    }
  }
  if (simulates) {
    if (const simulate::SimulationField* option = simulate::find_simulation_field(key)) {
      return AxisType{.is_word = option->is_word,
                      .is_whole = option->is_whole,
                      .dimension = option->dimension,
                      .is_rate = option->is_rate};
    }
  }
  if (key == "matmul" || (key.starts_with("matmul.") && find_input(key) < 0))
    return AxisType{.dimension = kFlop / kSecond};
  const int input = find_input(key);
  if (input < 0) return {};
  const auto index = static_cast<std::size_t>(input);
  const Dimension dimension = input_dimension(index);
  const bool whole = input_info(index).domain == Domain::at_least_one || dimension == kToken;
  return AxisType{.is_whole = whole, .may_be_word = key == "price", .dimension = dimension, .input = input};
}

/// What a range says, in base units.
struct Range {
  std::optional<double> from, to, step, points, factor;
  bool log = false;
};

class AxisBuilder {
 public:
  AxisBuilder(const AxisText& text, const AxisType& type)
      : text_(text),
        type_(type),
        where_(text.place + ": " + text.key),
        axis_{text.key, {}, {}, unit_name(type.dimension), text.place} {}

  Result<SweepAxis> build() {
    if (text_.range.empty()) {
      read_list();
    } else if (type_.is_word) {
      refuse(fmt::format("{} is no number: it has no range", text_.key), "write a list, e.g. [\"a\", \"b\"]");
    } else {
      read_range();
    }
    check_numbers();
    if (!errors_.empty()) return fail(std::move(errors_));
    if (axis_.size() == 0) return fail({where_, "has no values", "write a list, or { from = ..., to = ... }"});
    return std::move(axis_);
  }

 private:
  void refuse(std::string what, std::string hint) { errors_.push_back({where_, std::move(what), std::move(hint)}); }

  void read_list() {
    axis_.texts = text_.values;
    const auto worded = [&](const std::string& value) { return parse_price_basis(value, where_).has_value(); };
    if (type_.is_word || (type_.may_be_word && std::any_of(axis_.texts.begin(), axis_.texts.end(), worded))) return;
    for (const std::string& value : text_.values) {
      const auto number = parsed(value);
      if (!number)
        append(errors_, number.error());
      else
        axis_.numbers.push_back(*number);
    }
  }

  Result<double> parsed(const std::string& text) const {
    return type_.is_rate ? parse_request_rate(text, where_) : parse_as(text, type_.dimension, where_);
  }

  /// One of the axis' own, or of how its range is divided.
  double value(const std::string& text) {
    const auto value = parsed(text);
    if (!value) append(errors_, value.error());
    return value.value_or(0.0);
  }
  double number(const std::string& text, Dimension dimension) {
    const auto value = parse_as(text, dimension, where_);
    if (!value) append(errors_, value.error());
    return value.value_or(0.0);
  }

  Range read_keys() {
    Range range;
    for (const auto& [key, text] : text_.range) {
      if (key == "from")
        range.from = value(text);
      else if (key == "to")
        range.to = value(text);
      else if (key == "step")
        range.step = value(text);
      else if (key == "points")
        range.points = number(text, kNone);
      else if (key == "factor")
        range.factor = number(text, kNone);
      else if (key == "log")
        range.log = text == "true";
      else
        refuse(fmt::format("unknown key \"{}\" in a range", shortened(key)),
               suggestion(key, {"from", "to", "step", "points", "factor", "log"}));
      if (key == "log" && text != "true" && text != "false") refuse("log is true or false", "log = true");
    }
    return range;
  }

  void read_range() {
    const Range range = read_keys();
    if (!errors_.empty()) return;
    if (!range.from || !range.to) return refuse("a range has from and to", "{ from = 1, to = 64, points = 7 }");
    if (!(*range.from <= *range.to)) return refuse("from is above to", "write the smaller end first");
    const int ways = (range.step ? 1 : 0) + (range.points ? 1 : 0) + (range.factor ? 1 : 0);
    if (ways != 1) return refuse("a range has one of step, points and factor", "{ from = 1, to = 64, points = 7 }");
    if ((range.log || range.factor) && !(*range.from > 0.0))
      return refuse("a logarithmic range starts above zero", "from = 1");
    if (range.log && !range.points) return refuse("log = true goes with points", "or leave log out: factor = 2");
    if (range.step) return add_steps(range);
    if (range.factor) return add_factors(range);
    add_points(range);
  }

  bool counted(double count) {
    if (count <= static_cast<double>(kMostValues)) return true;
    refuse(fmt::format("{:g} values are more than {}", count, kMostValues), "spread them over two axes or more");
    return false;
  }

  void add_steps(const Range& range) {
    if (!(*range.step > 0.0)) return refuse("step is above zero", "from + step, from + 2 step, ... up to to");
    constexpr double kSlack = 1e-9;  // 0 to 1 in steps of 0.1 ends at 1
    const double count = std::floor((*range.to - *range.from) / *range.step + kSlack) + 1.0;
    if (!counted(count)) return;
    for (double i = 0; i < count; i += 1.0) axis_.numbers.push_back(std::min(*range.from + i * *range.step, *range.to));
  }

  void add_factors(const Range& range) {
    constexpr double kSlack = 1.0 + 1e-12;
    if (!(*range.factor > 1.0)) return refuse("factor is above 1", "factor = 2 doubles");
    // before any is made: rounded to whole numbers, a billion factors may be few values
    if (!counted(std::floor(std::log(*range.to / *range.from) / std::log(*range.factor)) + 1.0)) return;
    for (double value = *range.from; value <= *range.to * kSlack; value *= *range.factor)
      add(std::min(value, *range.to));
  }

  /// Whole numbers are rounded, and do not come twice.
  void add(double value) {
    if (type_.is_whole) value = std::round(value);
    if (axis_.numbers.empty() || value > axis_.numbers.back()) axis_.numbers.push_back(value);
  }

  void add_points(const Range& range) {
    const double points = *range.points;
    const bool one = points == 1.0 && *range.from == *range.to;
    if (!one && !(points >= 2.0 && points == std::floor(points)))
      return refuse(fmt::format("points = {:g}", points), "a whole number from 2 on");
    if (!counted(points)) return;
    for (double i = 0; i < points; i += 1.0) {
      const double share = one ? 0.0 : i / (points - 1.0);
      // our own pow: the same on every machine
      double value = range.log ? *range.from * pow(*range.to / *range.from, share)
                               : *range.from + (*range.to - *range.from) * share;
      if (i + 1.0 == points) value = *range.to;
      add(value);
    }
  }

  void check_numbers() {
    constexpr std::size_t kMostComplaints = 3;
    for (const double value : axis_.numbers) {
      if (errors_.size() >= kMostComplaints) return;
      if (type_.input < 0) continue;
      const auto index = static_cast<std::size_t>(type_.input);
      if (const auto checked = checked_input(index, value, where_); !checked) append(errors_, checked.error());
      if (input_info(index).domain == Domain::at_least_one && value != std::floor(value))
        refuse(fmt::format("{} is not a whole number", value), "round it; a range with points rounds by itself");
    }
  }

  const AxisText& text_;
  AxisType type_;
  std::string where_;
  SweepAxis axis_;
  Errors errors_;
};

}  // namespace

Result<SweepAxis> read_axis(const AxisText& text, bool serves, bool simulates) {
  const auto type = type_of(text.key, serves, simulates);
  if (type) {
    AxisText named = text;
    if (const ServingOption* option = serves ? find_serving_option(text.key) : nullptr) named.key = option->key;
    if (const simulate::SimulationField* option = simulates ? simulate::find_simulation_field(text.key) : nullptr)
      named.key = option->key;
    return AxisBuilder(named, *type).build();
  }
  std::vector<std::string> known = {"model", "machine", "weights", "experts", "attention", "kv"};
  for (const std::string& input : input_keys()) known.push_back(input);
  for (const ServingOption& option : serving_options()) known.emplace_back(option.key);
  for (const simulate::SimulationField& option : simulate::simulation_fields()) known.emplace_back(option.key);
  return fail({text.place, fmt::format("unknown axis \"{}\"", shortened(text.key)), suggestion(text.key, known)});
}

}  // namespace ridge::catalog
