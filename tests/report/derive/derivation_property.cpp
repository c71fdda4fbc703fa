// Does a derivation say what it means? Every printed line is read back and evaluated.

#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include "base/text/unit_text.hpp"
#include "report/derive/derivation.hpp"
#include "report/derive/expression.hpp"
#include "roofline/random_case.hpp"
#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"

namespace derivation_property {

using namespace ridge;
using report::DerivationLine;

namespace {

/// A value as the derivation prints it: four digits and the unit a person would choose.
std::string printed(double value, Dimension dimension) {
  const DisplayUnit unit = display_unit(value, dimension);
  const std::string number = fmt::format("{:.4g}", value / unit.scale);
  if (unit.name.starts_with('$')) return "$" + number + unit.name.substr(1);
  return unit.name.empty() ? number : number + " " + unit.name;
}

report::SymbolValue operands_of(const DerivationLine& line) {
  return [&line](std::string_view symbol) -> std::optional<double> {
    for (const auto& [name, value] : line.operands) {
      if (name == symbol) return value;
    }
    return {};
  };
}

void check_line(const DerivationLine& line) {
  RC_LOG() << line.symbol << " = " << line.formula << " = " << line.numbers << " = " << line.shown << "\n";
  const auto by_symbols = report::evaluate(line.formula, operands_of(line));
  RC_ASSERT(by_symbols.has_value());
  // brackets around sums are left out, so terms may be added in another order: a few units in the last place
  RC_ASSERT(std::fabs(*by_symbols - line.value) <= 1e-12 * std::fabs(line.value));
  const auto by_numbers = report::evaluate(line.numbers);
  RC_ASSERT(by_numbers.has_value());
  RC_ASSERT(printed(*by_numbers, line.dimension) == line.shown);
}

/// Every line below every figure.
void check_all_lines(const DecodeCase<double>& c) {
  RC_LOG() << c << "\n";
  const auto figures = output_values(estimate_decode(report::traced_case(c)));
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    const auto lines = report::derive(figures[i], 0);
    RC_ASSERT(!lines.empty());
    RC_ASSERT(lines.front().value == figures[i].value());
    for (const DerivationLine& line : lines) {
      if (std::isfinite(line.value)) check_line(line);
    }
  }
}

}  // namespace

TEST_CASE("every line of every derivation evaluates to what it shows") {
  CHECK(rc::check("printed formulas and printed numbers give the printed value", [] {
    auto draw = testing::seeded_draw();
    check_all_lines(testing::random_case(draw));
  }));
  CHECK(rc::check("and so they do for sizes like real ones", [] {
    auto draw = testing::seeded_draw();
    check_all_lines(testing::with_limits(testing::balanced_case(draw), draw, draw.one_in(2)));
  }));
}

TEST_CASE("every symbol of a formula is an input, a line of the same derivation, or zero") {
  CHECK(rc::check("a full derivation leaves no symbol unexplained", [] {
    auto draw = testing::seeded_draw();
    const auto figures = output_values(estimate_decode(report::traced_case(testing::random_case(draw))));
    for (const Traced& figure : figures) {
      const auto lines = report::derive(figure, 0);
      for (const DerivationLine& line : lines) {
        for (const auto& [symbol, value] : line.operands) {
          const bool is_line = std::any_of(lines.begin(), lines.end(), [&](const DerivationLine& other) {
            return other.symbol == symbol && other.value == value;
          });
          RC_LOG() << symbol << "\n";
          RC_ASSERT((is_line || find_input(symbol) >= 0 || value == 0.0));  // what is zero is not opened
        }
      }
    }
  }));
}

TEST_CASE("a depth of one shows the figure's own line only") {
  CHECK(rc::check("depth cuts the tree", [] {
    auto draw = testing::seeded_draw();
    const auto figures = output_values(estimate_decode(report::traced_case(testing::random_case(draw))));
    for (const Traced& figure : figures) {
      RC_ASSERT(report::derive(figure, 1).size() == 1u);
      RC_ASSERT(report::derive(figure, 2).size() <= report::derive(figure, 0).size());
    }
  }));
}

}  // namespace derivation_property
