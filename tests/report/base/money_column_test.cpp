// Do amounts under each other have one form?

#include "report/base/money_column.hpp"

#include <doctest/doctest.h>

namespace money_column_test {

using ridge::report::MoneyColumn;

TEST_CASE("all amounts of a column have the decimals of the one that needs most") {
  // prices of a sheet: $0.025 takes three decimals, so that all have three
  const MoneyColumn cached({0.5, 1.25, 0.025});
  CHECK(cached.text(0.5) == "$0.500");
  CHECK(cached.text(0.025) == "$0.025");
  const MoneyColumn sheet({0.5, 1.1, 15, 120});
  CHECK(sheet.text(0.5) == "$0.50");
  CHECK(sheet.text(1.1) == "$1.10");
  CHECK(sheet.text(15) == "$15.00");
  CHECK(sheet.text(120) == "$120.00");
  CHECK(sheet.text(1234.5) == "$1,234.50");
}

TEST_CASE("computed amounts keep three digits, within four decimals") {
  const MoneyColumn costs({0.2134567, 12.3456});
  CHECK(costs.decimals() == 3);
  CHECK(costs.text(0.2134567) == "$0.213");
  CHECK(costs.text(12.3456) == "$12.346");
  const MoneyColumn small({0.00001234, 2.0});
  CHECK(small.decimals() == 4);
  CHECK(small.text(0.00001234) == "<$0.0001");
  CHECK(small.text(0) == "$0.0000");
  CHECK(small.text(-2.0) == "-$2.0000");
}

}  // namespace money_column_test
