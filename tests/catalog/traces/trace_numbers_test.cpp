#include "catalog/traces/trace_numbers.hpp"

#include <string>

#include <doctest/doctest.h>

namespace trace_numbers_test {

using namespace ridge::catalog;

TEST_CASE("a time keeps its last digit, however far from its epoch") {
  CHECK(scaled_decimal("1787267980.0827403", 9) == 1787267980082740300);
  CHECK(scaled_decimal("0.1", 9) == 100'000'000);
  CHECK(scaled_decimal("27199", 6) == 27'199'000'000);  // milliseconds
  CHECK(scaled_decimal("827.86", 6) == 827'860'000);
  CHECK(scaled_decimal("1.5e-3", 9) == 1'500'000);
  CHECK(scaled_decimal("15E2", 0) == 1500);
  CHECK(scaled_decimal("0.0000000015", 9) == 2);   // 1.5 ns, rounded away from zero
  CHECK(scaled_decimal("0.00000000049", 9) == 0);  // 0.49 ns
  CHECK(scaled_decimal("0.00000000009", 9) == 0);  // 0.09 ns: the 9 is not the digit that rounds
  CHECK(scaled_decimal("-2.5", 0) == -3);
  CHECK(scaled_decimal("-0.0", 9) == 0);
  CHECK(scaled_decimal("1.00000000000000000000000000001", 9) == 1'000'000'000);
  CHECK(scaled_decimal("0e9999", 9) == 0);
}

TEST_CASE("what is no number, or fits no clock, is nothing") {
  for (const char* text : {"", "-", ".", "e", "1e", "1e+", "1x", "0x10", "nan", "inf", "1,5", " 1", "1e99999", "1..2",
                           "--1", "9000000000.1", "1e30", "99999999999999999999999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(scaled_decimal(text, 9).has_value());
  }
  CHECK_FALSE(scaled_decimal(std::string(100'000, '9'), 0).has_value());
  CHECK_FALSE(scaled_decimal("1e-9999", 9) != 0);
}

TEST_CASE("whole numbers reach to the last of 64 bits") {
  CHECK(whole_number("18446744073709551615") == ~std::uint64_t{0});
  CHECK(whole_number("0") == 0U);
  for (const char* text : {"18446744073709551616", "99999999999999999999", "111111111111111111111", "", "-1", "1.0"}) {
    CAPTURE(text);
    CHECK_FALSE(whole_number(text).has_value());
  }
}

TEST_CASE("dates count days as the calendar does") {
  // date -u -d '2023-11-16 18:15:46' +%s is 1700158546
  CHECK(date_and_time("2023-11-16 18:15:46.6805900") == 1700158546680590000);
  CHECK(date_and_time("2023-11-16T18:15:46") == 1700158546000000000);
  CHECK(date_and_time("2023-11-16 18:15:46.68+00:00") == 1700158546680000000);
  CHECK(date_and_time("2023-11-16 20:15:46Z") == 1700165746000000000);
  CHECK(date_and_time("2023-11-16 20:15:46+02:00") == 1700158546000000000);
  CHECK(date_and_time("2023-11-16 12:45:46-0530") == 1700158546000000000);
  // 29 February 2024 to 1 March is a day
  CHECK(*date_and_time("2024-03-01 00:00:00") - *date_and_time("2024-02-29 00:00:00") == 86'400'000'000'000);
  CHECK(*date_and_time("2024-01-01 00:00:00") - *date_and_time("2023-12-31 23:59:59") == 1'000'000'000);
  for (const char* text : {"2023-02-29 00:00:00", "2023-13-01 00:00:00", "2023-00-01 00:00:00", "2023-01-00 00:00:00",
                           "2023-01-01 24:00:00", "2023-01-01 00:60:00", "2023-01-01 00:00:60", "2023-01-01 00:00:00.",
                           "2023-01-01 00:00:00 x", "2023-01-01 00:00:00+1", "2023-01-01 00:00:00+99:00", "2023-01-01",
                           "9999-01-01 00:00:00", "1969-12-31 23:59:59", "16.11.2023 18:15:46", "0.5", ""}) {
    CAPTURE(text);
    CHECK_FALSE(date_and_time(text).has_value());
  }
}

}  // namespace trace_numbers_test
