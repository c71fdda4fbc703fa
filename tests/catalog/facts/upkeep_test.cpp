#include "catalog/facts/upkeep.hpp"

#include <doctest/doctest.h>

namespace upkeep_test {

using ridge::Kind;
using ridge::Source;
using ridge::catalog::day_of;
using ridge::catalog::Fact;
using ridge::catalog::old_prices;
using ridge::catalog::unsourced_values;

const std::vector<Source> kSources = {{"old", "", "2025-01-01", "", "", Kind::datasheet},
                                      {"new", "", "2026-01-01", "", "", Kind::datasheet},
                                      {"judged", "", "2026-01-01", "", "", Kind::assumed}};

TEST_CASE("a date that leaves out its day is its first day") {
  CHECK(day_of("1970-01-02") == 1);
  CHECK(day_of("1970-02") == 31);  // January has 31 days
  CHECK(day_of("1971") == 365);
  CHECK(!day_of("2026-13-01"));
  CHECK(!day_of("soon"));
}

TEST_CASE("a price is old by the newest source, and of a sheet the newest counts") {
  const std::vector<Fact> facts = {{"machine", "a", "price.on_demand", "$2/h", "old", "", "", ""},
                                   {"machine", "b", "price.on_demand", "$2/h", "new", "", "", ""},
                                   {"machine", "a", "scale_up.chips", "8", "old", "", "", ""},
                                   {"price", "x/m@2025-01-01", "source", "old", "", "", "", ""},
                                   {"price", "x/m@2025-12-31", "source", "new", "", "", "", ""},
                                   {"price", "x/n@2025-03-02", "source", "old", "", "", "", ""}};
  const auto old = old_prices(facts, kSources, 180);
  REQUIRE(old.size() == 2);
  CHECK(old[0].entry == "a");
  CHECK(old[0].days == 365);  // 2025 is no leap year
  CHECK(old[1].entry == "x/n");
  CHECK(old[1].days == 305);  // 365 - 31 - 28 - 1
}

TEST_CASE("a machine's old price stands before an older sheet") {
  const std::vector<Fact> facts = {{"price", "x/n@2024-03-02", "source", "old", "", "", "", ""},
                                   {"machine", "a", "price.rental", "$2/h", "old", "", "", ""}};
  const auto old = old_prices(facts, kSources, 180);
  REQUIRE(old.size() == 2);
  CHECK(old[0].entry == "a");
  CHECK(old[1].entry == "x/n");
  CHECK(old[1].days > old[0].days);
}

TEST_CASE("a value is without a source where none is named or somebody assumed it") {
  const std::vector<Fact> facts = {{"chip", "a", "hbm.bandwidth", "8 TB/s", "new", "", "", ""},
                                   {"chip", "a", "hbm.capacity", "180 GB", "judged", "", "", ""},
                                   {"chip", "a", "power.tdp", "1 kW", "new", "assumed", "", ""},
                                   {"chip", "a", "matmul.bf16", "1 TFLOP/s", "", "", "", ""},
                                   {"chip", "a", "title", "A", "", "", "", ""},
                                   {"chip", "a", "year", "2025", "", "", "", ""},
                                   {"calibration", "a", "step", "3 us", "", "", "", ""}};
  const auto found = unsourced_values(facts, kSources);
  REQUIRE(found.size() == 3);
  CHECK(found[0].key == "hbm.capacity");
  CHECK(found[1].key == "power.tdp");
  CHECK(found[2].key == "matmul.bf16");
}

}  // namespace upkeep_test
