#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "report/base/json.hpp"

namespace dumped_json_test {

using ridge::report::dumped;
using ridge::report::Json;

namespace {

std::string as_the_library_has_it(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

TEST_CASE("an answer's text is what the library's own writer makes, whatever it holds") {
  const double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  const Json odd = {
      {"", ""},
      {"empty", Json::object()},
      {"none", Json::array()},
      {"nothing", nullptr},
      {"flags", {true, false}},
      {"whole", {0, -1, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max()}},
      {"broken", {0.0, -0.0, 1.0, 0.1, 1e20, 1e-7, 123456789.125, huge, tiny, HUGE_VAL, std::nan("")}},
      {"texts", {"a \"b\" \\ c", "line\nend", "\t\x01\x7f", "\xc5\x82\xe3\x80\x81", "broken \xff\xfe"}},
      {"a key \"with\" \n", {{"deep", {{"deeper", {1, {2, {3}}}}}}}}};
  CHECK(dumped(odd) == as_the_library_has_it(odd));
  for (const Json& one : odd) CHECK(dumped(one) == as_the_library_has_it(one));
}

TEST_CASE("every number reads as the library writes it") {
  std::mt19937_64 random(7);
  Json numbers = Json::array();
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    numbers.push_back(value);
    numbers.push_back(static_cast<double>(static_cast<std::int64_t>(bits) % 1'000'000) / 1000);
    numbers.push_back(static_cast<std::int64_t>(bits));
  }
  CHECK(dumped(numbers) == as_the_library_has_it(numbers));
}

}  // namespace dumped_json_test
