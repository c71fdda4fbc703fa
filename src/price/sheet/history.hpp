#pragma once
// How the price of a family of models moved: every change with its factor, and how fast the whole of it falls.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "price/sheet/sheet_list.hpp"

namespace ridge {

/// A sheet of the family that is new or differs from the one before it.
struct PriceChange {
  const PriceSheet* sheet = nullptr;
  std::vector<std::string> names;    // all that are sold at these prices from this date on
  std::string kind;                  // its class within the family ("flash-lite"), and the host where it has one
  bool is_new = false;               // the first sheet of its model
  const PriceSheet* than = nullptr;  // compared with: the same model's before, or for a new one the newest of its class
  /// Over the price of that; nothing where there is none.
  std::optional<double> input, output;
  std::optional<double> cached;       // where both have one
  std::vector<std::string> findings;  // what is odd about the sheet
};

/// A rate is read from changes of a price on at least so many dates over at least so many years: one step is no slope.
inline constexpr int kChangesOfRate = 3;
inline constexpr double kYearsOfRate = 1;

/// When a price moved, whatever its rate.
struct PriceMoves {
  std::vector<const PriceSheet*> sheets;  // that brought another price than the one they are compared with
  std::vector<double> factors;            // over that, in their order
};

/// The straight line through the logarithms of a price against time, each class with a level of its own.
struct PriceTrend {
  double per_year = 1;             // factor a year
  std::optional<double> halving;   // years, where it falls
  std::optional<double> doubling;  // years, where it rises
};

struct PriceHistory {
  std::string family;
  bool hosted = false;               // of hosts, since no maker sells it
  std::vector<PriceChange> changes;  // oldest first
  double years = 0;                  // from the first to the last
  int undated = 0;                   // sheets left out: since when they hold is not known
  PriceMoves input_moves, output_moves;
  std::optional<PriceTrend> input, output;  // none where there are too few changes, or within too short a time
};

/// Years since 2000 of a sheet's date; a year or month alone is its middle.
double years_of(const std::string& date);

/// The history of a family: all words of its name, in their order, are words of the model's name ("claude-opus" has
/// claude-3-opus and claude-opus-4-5), perhaps of one provider alone ("groq/llama"). Makers' sheets where there are any,
/// else hosts'.
Result<PriceHistory> price_history(const std::vector<PriceSheet>& sheets, std::string_view family,
                                   std::string_view where);

}  // namespace ridge
