// Does a sheet that goes out in LiteLLM's format come back the same?

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "catalog/prices/price_file.hpp"
#include "price/sheet/sheet_check.hpp"
#include "report/price/sheet/litellm.hpp"

namespace price_map_property {

using namespace ridge;

namespace {

using Price = DollarsPerToken<double>;

Price any_price() { return Price(*rc::gen::inRange(1, 100'000'000) * 1e-12); }

std::optional<Price> maybe_price() { return *rc::gen::arbitrary<bool>() ? std::optional(any_price()) : std::nullopt; }

std::vector<CacheWrite> any_writes() {
  std::vector<CacheWrite> writes;
  if (*rc::gen::arbitrary<bool>()) writes.push_back({Seconds<double>(300), any_price()});
  if (*rc::gen::arbitrary<bool>()) writes.push_back({Seconds<double>(3600), any_price()});
  return writes;
}

/// A sheet of all that the map has a place for.
PriceSheet any_sheet(int number) {
  PriceSheet sheet;
  sheet.provider = "p" + std::to_string(*rc::gen::inRange(0, 3));
  sheet.model = "m" + std::to_string(number);
  sheet.source = "s";
  sheet.input = any_price();
  sheet.output = any_price();
  sheet.cached = maybe_price();
  sheet.writes = any_writes();
  double above = 0;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    above += 1000.0 * *rc::gen::inRange(1, 300);
    sheet.tiers.push_back({Tokens<double>(above), any_price(), any_price(), maybe_price(), any_writes()});
  }
  for (const char* name : {"batch", "flex", "priority"}) {  // in the order of their names, as they are read
    if (*rc::gen::arbitrary<bool>()) sheet.modes.push_back({name, any_price(), any_price(), {}});
  }
  if (*rc::gen::arbitrary<bool>()) {
    const double factor = *rc::gen::inRange(1, 64) / 8.0;
    sheet.modes.push_back({"fast", sheet.input * factor, sheet.output * factor, {}});
  }
  if (*rc::gen::arbitrary<bool>()) sheet.max_input = Tokens<double>(*rc::gen::inRange(1, 10'000'000));
  return sheet;
}

void check_same(const PriceSheet& a, const PriceSheet& b) {
  RC_ASSERT(a.provider == b.provider);
  RC_ASSERT(a.model == b.model);
  RC_ASSERT(a.source == b.source);
  RC_ASSERT(a.input == b.input);
  RC_ASSERT(a.output == b.output);
  RC_ASSERT(a.cached == b.cached);
  RC_ASSERT(a.max_input == b.max_input);
  const auto same_writes = [](const std::vector<CacheWrite>& x, const std::vector<CacheWrite>& y) {
    RC_ASSERT(x.size() == y.size());
    for (std::size_t i = 0; i < x.size(); ++i) RC_ASSERT((x[i].keep == y[i].keep && x[i].price == y[i].price));
  };
  same_writes(a.writes, b.writes);
  RC_ASSERT(a.tiers.size() == b.tiers.size());
  for (std::size_t i = 0; i < a.tiers.size(); ++i) {
    RC_ASSERT(a.tiers[i].above == b.tiers[i].above);
    RC_ASSERT(a.tiers[i].input == b.tiers[i].input);
    RC_ASSERT(a.tiers[i].output == b.tiers[i].output);
    RC_ASSERT(a.tiers[i].cached == b.tiers[i].cached);
    same_writes(a.tiers[i].writes, b.tiers[i].writes);
  }
  RC_ASSERT(a.modes.size() == b.modes.size());
  for (std::size_t i = 0; i < a.modes.size(); ++i) {
    RC_ASSERT(a.modes[i].name == b.modes[i].name);
    // "fast" is a factor in the map: a multiplication and a division, each rounded
    const auto close = [](Price x, Price y) { return std::abs((x / y).value() - 1) < 1e-14; };
    RC_ASSERT(close(a.modes[i].input, b.modes[i].input));
    RC_ASSERT(close(a.modes[i].output, b.modes[i].output));
  }
}

}  // namespace

TEST_CASE("sheets written as LiteLLM's map and read again are the same sheets") {
  CHECK(rc::check([] {
    std::vector<PriceSheet> sheets;
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) sheets.push_back(any_sheet(i));
    for (const PriceSheet& sheet : sheets) RC_ASSERT(sheet_errors(sheet).empty());
    const report::PriceMap map = report::price_map(sheets);
    RC_ASSERT(map.left_out.empty());
    const auto file = catalog::read_sheet_file(map.text, "map.json");
    RC_ASSERT(file.has_value());
    RC_ASSERT(file->unread.empty());
    RC_ASSERT(file->sheets.size() == sheets.size());
    for (std::size_t i = 0; i < sheets.size(); ++i) check_same(sheets[i], file->sheets[i]);
  }));
}

}  // namespace price_map_property
