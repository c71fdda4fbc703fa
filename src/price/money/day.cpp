#include "price/money/day.hpp"

#include <fmt/format.h>

#include "base/unit_text.hpp"
#include "price/sheet/sheet_list.hpp"

namespace ridge {

namespace {

/// Numbers of the entry by name and dimension; what is missing or of another kind is collected.
class Numbers {
 public:
  explicit Numbers(const NumbersEntry& entry) : entry_(entry) {}

  template <class Q>
  Q get(std::string_view name) {
    return Q(value(name, Dimensioned<Q>::dimension));
  }

  Errors errors;

 private:
  template <class Q>
  struct Dimensioned;
  template <Dimension D>
  struct Dimensioned<Quantity<D, double>> {
    static constexpr Dimension dimension = D;
  };

  double value(std::string_view name, Dimension dimension) {
    const auto found = entry_.numbers.find(name);
    if (found != entry_.numbers.end() && found->second.value.dimension == dimension) return found->second.value.value;
    errors.push_back(
        {fmt::format("day {}", entry_.name),
         fmt::format("number.{} is {}", name, found == entry_.numbers.end() ? "missing" : "of another unit"),
         dimension == kNone ? "write a plain number" : "write it in " + unit_name(dimension)});
    return 1.0;
  }

  const NumbersEntry& entry_;
};

}  // namespace

TokenPrices<double> prices_at(const PriceSheet& sheet, Tokens<double> input) {
  TokenPrices<double> prices{sheet.input, sheet.cached.value_or(sheet.input), sheet.output};
  for (const PriceBreak& tier : sheet.tiers) {
    if (tier.above < input) prices = {tier.input, tier.cached.value_or(tier.input), tier.output};
  }
  return prices;
}

Result<ServingDay> serving_day(const NumbersEntry& entry, const std::vector<PriceSheet>& sheets) {
  Numbers numbers(entry);
  ServingDay day;
  day.name = entry.name;
  day.title = entry.title;
  day.note = entry.note;
  day.fleet = {.nodes = numbers.get<Ratio<double>>("nodes"),
               .chips = numbers.get<Ratio<double>>("chips"),
               .time = numbers.get<Seconds<double>>("time"),
               .rental = numbers.get<DollarsPerSecond<double>>("rental")};
  const auto input = numbers.get<Tokens<double>>("input"), cached = numbers.get<Tokens<double>>("cached");
  day.tokens = {.fresh = input - cached, .cached = cached, .output = numbers.get<Tokens<double>>("output")};
  day.published = {.cost = numbers.get<Dollars<double>>("published_cost"),
                   .revenue = numbers.get<Dollars<double>>("published_revenue"),
                   .markup = numbers.get<Ratio<double>>("published_margin")};
  if (numbers.errors.empty() && !(cached.value() >= 0.0 && cached < input)) {
    numbers.errors.push_back({fmt::format("day {}", entry.name), "more input was cached than there was",
                              "number.cached is a part of number.input"});
  }
  const auto name = entry.words.find("sheet");
  if (name == entry.words.end()) {
    numbers.errors.push_back({fmt::format("day {}", entry.name), "names no sheet", "add use.sheet"});
  } else if (const auto sheet = find_sheet(sheets, name->second, fmt::format("day {}: use.sheet", entry.name))) {
    day.sheet = **sheet;
  } else {
    append(numbers.errors, sheet.error());
  }
  if (!numbers.errors.empty()) return fail(std::move(numbers.errors));
  day.cost = day.fleet.cost();
  day.revenue = revenue(day.tokens, prices_at(day.sheet, Tokens<double>(0)));
  day.markup = markup(day.revenue.total(), day.cost);
  day.margin = margin(day.revenue.total(), day.cost);
  return day;
}

Ratio<double> markup_at(const ServingDay& day, double hit_share) {
  const Tokens<double> input = day.tokens.fresh + day.tokens.cached;
  const TokenMix<double> mix{input * (1 - hit_share), input * hit_share, day.tokens.output};
  return markup(revenue(mix, prices_at(day.sheet, Tokens<double>(0))).total(), day.cost);
}

}  // namespace ridge
