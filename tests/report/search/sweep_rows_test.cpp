// Does every value survive its way into a row, whatever stands in it?

#include "report/search/sweep_rows.hpp"

#include <limits>

#include <doctest/doctest.h>

namespace sweep_rows_test {

using namespace ridge;
using namespace ridge::report;

namespace {

using Holds = SweepColumn::Holds;

const std::vector<SweepColumn> kColumns = {{"case", SweepColumn::Kind::index, 0, kNone, Holds::count, false},
                                           {"cost", SweepColumn::Kind::output, 0, kNone, Holds::number, false},
                                           {"fits", SweepColumn::Kind::fits, 0, kNone, Holds::flag, false},
                                           {"problem", SweepColumn::Kind::problem, 0, kNone, Holds::text, false}};

SweepTable two_rows() {
  SweepTable table;
  table.rows = 2;
  table.columns = {{{41, 42}, {}},
                   {{0.1, std::numeric_limits<double>::infinity()}, {}},
                   {{1, 0}, {}},
                   {{}, {"a \"b\", c\nd\\", "\xff"}}};
  return table;
}

}  // namespace

TEST_CASE("CSV quotes what it must and keeps a row on a line") {
  CHECK(rows_header(kColumns, RowFormat::csv) == "case,cost,fits,problem\n");
  CHECK(rows_text(two_rows(), kColumns, {}, RowFormat::csv) ==
        "41,0.1,true,\"a \"\"b\"\", c\\u000ad\\\"\n42,,false,?\n");
}

TEST_CASE("JSON Lines escape, and write null for what does not exist") {
  CHECK(rows_header(kColumns, RowFormat::json_lines).empty());
  CHECK(rows_text(two_rows(), kColumns, {}, RowFormat::json_lines) ==
        "{\"case\":41,\"cost\":0.1,\"fits\":true,\"problem\":\"a \\\"b\\\", c\\u000ad\\\\\"}\n"
        "{\"case\":42,\"cost\":null,\"fits\":false,\"problem\":\"?\"}\n");
}

TEST_CASE("packed cells come back") {
  const std::string packed = rows_text(two_rows(), kColumns, {}, RowFormat::sqlite);
  std::size_t at = 0;
  CHECK(next_cell(packed, at).number == 41);
  CHECK(next_cell(packed, at).number == 0.1);
  CHECK(next_cell(packed, at).type == PackedCell::Type::count);
  CHECK(next_cell(packed, at).text == "a \"b\", c\nd\\");
  next_cell(packed, at);
  CHECK(next_cell(packed, at).type == PackedCell::Type::none);
  next_cell(packed, at);
  next_cell(packed, at);
  CHECK(at == packed.size());
}

TEST_CASE("conditions keep what meets all of them; what does not exist meets none") {
  const auto rows = [](Condition::Test test, std::size_t column, double number) {
    return rows_text(two_rows(), kColumns, {Condition{column, test, number, "", false}}, RowFormat::csv).substr(0, 3);
  };
  CHECK(rows(Condition::Test::at_least, 0, 42) == "42,");
  CHECK(rows(Condition::Test::less, 0, 42) == "41,");
  CHECK(rows(Condition::Test::equal, 2, 0) == "42,");
  CHECK(rows(Condition::Test::unequal, 0, 41) == "42,");
  CHECK(rows(Condition::Test::more, 0, 42).empty());
}

}  // namespace sweep_rows_test
