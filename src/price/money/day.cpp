#include "price/money/day.hpp"

#include "base/numbers_reader.hpp"
#include "price/sheet/sheet_list.hpp"

namespace ridge {

TokenPrices<double> prices_at(const PriceSheet& sheet, Tokens<double> input) {
  TokenPrices<double> prices{sheet.input, sheet.cached.value_or(sheet.input), sheet.output};
  for (const PriceBreak& tier : sheet.tiers) {
    if (tier.above < input) prices = {tier.input, tier.cached.value_or(tier.input), tier.output};
  }
  return prices;
}

Result<ServingDay> serving_day(const NumbersEntry& entry, const std::vector<PriceSheet>& sheets) {
  NumbersReader numbers(entry, "day");
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
  if (numbers.errors().empty() && !(cached.value() >= 0.0 && cached < input))
    numbers.complain("more input was cached than there was", "number.cached is a part of number.input");
  const auto name = entry.words.find("sheet");
  if (name == entry.words.end()) {
    numbers.complain("names no sheet", "add use.sheet");
  } else if (const auto sheet = find_sheet(sheets, name->second, numbers.where() + ": use.sheet")) {
    day.sheet = **sheet;
  } else {
    numbers.take(sheet.error());
  }
  if (!numbers.errors().empty()) return fail(numbers.errors());
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
