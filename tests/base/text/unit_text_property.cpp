// Does a printed quantity read back as itself?

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "base/text/unit_text.hpp"
#include "roofline/random_case.hpp"
#include "roofline/scenario.hpp"

namespace {

/// Every dimension the program prints.
std::vector<ridge::Dimension> printed_dimensions() {
  std::vector<ridge::Dimension> all;
  for (std::size_t i = 0; i < ridge::kDecodeInputs; ++i) all.push_back(ridge::input_dimension(i));
  for (std::size_t i = 0; i < ridge::kDecodeOutputs; ++i) all.push_back(ridge::output_dimension(i));
  return all;
}

}  // namespace

TEST_CASE("a shown quantity, its thousands separators removed, reads back within the digits shown") {
  CHECK(rc::check("show, then parse, gives the value to the printed digits", [] {
    static const std::vector<ridge::Dimension> dimensions = printed_dimensions();
    auto draw = ridge::testing::seeded_draw();
    const auto dimension = dimensions[draw.below(dimensions.size())];
    const double value = draw.log_uniform(1e-12, 1e24) * (draw.one_in(4) ? -1.0 : 1.0);
    const int digits = 3 + static_cast<int>(draw.below(10));
    std::string text = ridge::show(value, dimension, digits);
    RC_LOG() << "shown " << text;
    const bool negative_dollars = text.starts_with("-$");  // printed so; a negative price is never read
    RC_PRE(!negative_dollars);
    std::erase(text, ',');
    const auto back = ridge::parse_as(text, dimension, "");
    RC_ASSERT(back.has_value());
    // half a unit of the last printed digit, relative to a leading digit of 1; dollars from 1 to 100 are printed to
    // the cent, up to a million to the dollar, and below a hundredth of a cent with two digits
    const double scale = ridge::display_unit(value, dimension).scale;
    const bool dollars = ridge::display_unit(value, dimension).name.starts_with('$');
    const double rounding = 0.5 * std::pow(10.0, 1 - digits) * std::fabs(value) * (1 + 1e-9);
    const double sum = std::fabs(value / scale);
    const double coin = sum < 1e-4 ? 0.05 * sum : sum < 99.995 ? 0.005 : 0.5;
    const double tolerance = dollars ? std::max(rounding, coin * scale * (1 + 1e-9)) : rounding;
    RC_ASSERT(std::fabs(*back - value) <= tolerance + 1e-15 * std::fabs(value));
  }));
}

TEST_CASE("no text makes the parser fail in any other way than with an error") {
  CHECK(rc::check("parse_measure answers every text", [](const std::string& text) {
    const auto measure = ridge::parse_measure(text, "here");
    if (measure) {
      RC_ASSERT(std::isfinite(measure->value));
    } else {
      RC_ASSERT(!measure.error().empty());
    }
  }));
  CHECK(rc::check("parse_measure answers every text made of its own letters", [] {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789.eE+-$ /kKMGTiBbsFLOPtoken%\t")));
    const auto measure = ridge::parse_measure(text, "here");
    RC_ASSERT((measure.has_value() ? std::isfinite(measure->value) : !measure.error().empty()));
  }));
}
