#pragma once
// A published day of serving, reproduced from its tokens, chips and price sheet.

#include <string>

#include "base/numbers_entry.hpp"
#include "base/result.hpp"
#include "price/money/margin.hpp"
#include "price/sheet/sheet.hpp"

namespace ridge {

/// What others said came of it.
struct PublishedDay {
  Dollars<double> cost{}, revenue{};
  Ratio<double> markup{};
};

struct ServingDay {
  std::string name, title, note;
  PriceSheet sheet;
  Fleet<double> fleet;
  TokenMix<double> tokens;
  PublishedDay published;
  // what follows
  Revenue<double> revenue;
  Dollars<double> cost{};
  Ratio<double> markup{}, margin{};
};

/// The day of an entry of catalog/day, with the sheet that it names among `sheets`.
Result<ServingDay> serving_day(const NumbersEntry& entry, const std::vector<PriceSheet>& sheets);

/// The same day with another share of the input in the cache. The cost stays: it is what was paid, not what a better
/// cache would have saved.
Ratio<double> markup_at(const ServingDay& day, double hit_share);

/// A sheet's prices for a request with so much input, in the tier it falls into. Without a price for cached input, it
/// costs what fresh does.
TokenPrices<double> prices_at(const PriceSheet& sheet, Tokens<double> input);

}  // namespace ridge
