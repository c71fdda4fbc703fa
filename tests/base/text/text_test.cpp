// Do the small text helpers do what the errors and tables rely on?

#include "base/text/text.hpp"

#include <limits>

#include <doctest/doctest.h>

using namespace ridge;
using Words = std::vector<std::string>;

TEST_CASE("a slip of the keyboard finds the name that was meant first") {
  const Words known = {"hgx-h100", "hgx-h200", "gb200-nvl72", "hgx-b200", "tpu-v5e-pod"};
  CHECK(nearest("hgx-h10", known, 1) == Words{"hgx-h100"});
  CHECK(nearest("HGX-H100", known, 1) == Words{"hgx-h100"});  // letters' case does not matter
  CHECK(nearest("gb200", known, 1) == Words{"gb200-nvl72"});  // a part of a name
  CHECK(nearest("nvl72", known, 1) == Words{"gb200-nvl72"});
  CHECK(nearest("zzzzzzzz", known, 3).empty());
  CHECK(nearest("hgx-h1oo", known, 9).size() <= known.size());
  CHECK(nearest("", known, 3).empty());
  CHECK(nearest("anything", {}, 3).empty());
  CHECK(nearest(std::string(1000000, 'h'), known, 3).empty());  // a hostile word costs no time
}

TEST_CASE("the closest name comes before the merely close") {
  CHECK(nearest("batch", {"match", "batch", "patches"}, 3).front() == "batch");
  CHECK(nearest("contxt", {"contexts", "context"}, 2) == Words{"context", "contexts"});
}

TEST_CASE("a suggestion names what is close, or some of what there is") {
  CHECK(suggestion("batc", {"batch", "context"}) == "did you mean batch?");
  CHECK(suggestion("qqqqqqq", {"batch", "context"}) == "one of: batch, context");
  CHECK(suggestion("qqqqqqq", {"a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8", "i9"}).ends_with(", ..."));
  CHECK(suggestion("qq", {}).empty() == false);
}

TEST_CASE("only plain decimal numbers are numbers") {
  CHECK(parse_number("12.5") == 12.5);
  CHECK(parse_number("-1e-3") == -1e-3);
  CHECK(parse_number(".5") == 0.5);
  for (const auto* text :
       {"", " ", "1 ", " 1", "nan", "inf", "infinity", "0x10", "1e400", "1..2", "--1", "1e", "e1", "1,000", "1_000"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_number(text).has_value());
  }
  CHECK_FALSE(parse_number(std::string(401, '1')).has_value());
}

TEST_CASE("thousands are grouped and digits kept") {
  CHECK(with_commas(0) == "0");
  CHECK(with_commas(999) == "999");
  CHECK(with_commas(1000) == "1,000");
  CHECK(with_commas(12345.6) == "12,346");
  CHECK(with_commas(-1234567) == "-1,234,567");
  CHECK(with_commas(std::numeric_limits<double>::infinity()) == "unbounded");
  CHECK(significant(0.0022518, 3) == "0.00225");
  CHECK(significant(12.629, 3) == "12.6");
  CHECK(significant(12629.4, 4) == "12,629");
  CHECK(significant(1.3e21, 3) == "1.30e+21");
  CHECK(significant(0.0, 4) == "0");
  CHECK(significant(2.0, 4) == "2");
  CHECK(significant(99999.96, 4) == "100,000");
}

TEST_CASE("splitting, joining and trimming are each other's undoing") {
  CHECK(split("a/b//c", '/') == Words{"a", "b", "", "c"});
  CHECK(split("", '/') == Words{""});
  CHECK(joined({"a", "b"}, ", ") == "a, b");
  CHECK(joined({}, ", ").empty());
  CHECK(trimmed(" \t a b \r\n") == "a b");
  CHECK(trimmed(" \n").empty());
  CHECK(lower_case("GB200-NVL72") == "gb200-nvl72");
}
