// Are rates of requests read as people write them, and is everything else refused with what may be written?

#include "base/text/request_rate.hpp"

#include <string>

#include <doctest/doctest.h>

#include "base/text/period_text.hpp"

namespace request_rate_test {

using doctest::Approx;
using ridge::parse_request_rate;

double rate(std::string_view text) {
  const auto read = parse_request_rate(text, "rate");
  REQUIRE_MESSAGE(read.has_value(), text);
  return *read;
}

ridge::Error refusal(std::string_view text) {
  const auto read = parse_request_rate(text, "rate");
  REQUIRE_FALSE_MESSAGE(read.has_value(), text);
  CHECK(read.error().front().where == "rate");
  return read.error().front();
}

TEST_CASE("a rate is of a second unless it says otherwise") {
  for (const char* text :
       {"50", "50/s", " 50 / s ", "50 req/s", "50 req", "50 requests/s", "50 Requests per second", "50rps", "50 qps",
        "0.05k", "50/sec", "3000/min", "3k/min", "180k/h", "3000 rpm", "50 queries a second"}) {
    CAPTURE(text);
    CHECK(rate(text) == Approx(50));
  }
  CHECK(rate("2M/day") == Approx(2e6 / 86400));
  CHECK(rate("1 a week") == Approx(1 / 604800.0));
  CHECK(rate("73 requests a month") == Approx(73 / 730.0 / 3600));  // 730 hours, as bills have it
  CHECK(rate("-1") == -1);  // whether that can be served is the question's affair
}

TEST_CASE("a bare number is read to the last bit as before") {
  for (const char* text : {"0.1", "0.30000000000000004", "241.3793103448276"}) CHECK(rate(text) == std::stod(text));
}

TEST_CASE("what is no rate of requests is told what may be written") {
  CHECK(refusal("500 tok/s").what.find("counts tokens") != std::string::npos);
  CHECK(refusal("500 tps").what.find("counts tokens") != std::string::npos);
  CHECK(refusal("50/mnth").hint.find("month") != std::string::npos);
  CHECK(refusal("50/m").hint.find("minute") != std::string::npos);  // or a month: not guessed
  for (const char* text : {"", "/s", "abc", "50%", "50 %/s", "50 GB/s", "50/", "nan", "50/s/s", "$50/h"}) {
    CAPTURE(text);
    CHECK_FALSE(refusal(text).hint.empty());
  }
}

}  // namespace request_rate_test
