#include "report/base/money_column.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge::report {

namespace {

constexpr int kLeastDecimals = 2, kMostDecimals = 4;

int decimals_of(double dollars) {
  const double size = std::fabs(dollars);
  if (!std::isfinite(size) || size == 0) return kLeastDecimals;
  for (int decimals = kLeastDecimals; decimals < kMostDecimals; ++decimals) {
    const double scale = std::pow(10.0, decimals), units = size * scale;
    const bool exact = std::fabs(units - std::round(units)) < 1e-6 * units;
    if (exact || units >= 99.5) return decimals;  // three digits are there
  }
  return kMostDecimals;
}

}  // namespace

MoneyColumn::MoneyColumn(const std::vector<double>& dollars) {
  for (const double one : dollars) decimals_ = std::max(decimals_, decimals_of(one));
}

std::string MoneyColumn::text(double dollars) const {
  if (!std::isfinite(dollars)) return "unbounded";
  const double size = std::fabs(dollars), least = std::pow(10.0, -decimals_);
  const std::string sign = dollars < 0 ? "-$" : "$";
  if (size > 0 && size < least / 2) return fmt::format("<{}{:.{}f}", sign, least, decimals_);
  if (size < 1000) return sign + fmt::format("{:.{}f}", size, decimals_);
  const std::string all = fmt::format("{:.{}f}", size, decimals_);
  return sign + with_commas(std::floor(size)) + all.substr(all.find('.'));
}

}  // namespace ridge::report
