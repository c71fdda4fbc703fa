#include "base/text/field_text.hpp"

#include <doctest/doctest.h>

namespace field_text_test {

using namespace ridge;

TEST_CASE("a field in a text is shown as whoever shows it writes fields") {
  const std::string text = "give " + field("tp", "8") + ", or leave " + field("dp") + " out";
  CHECK(with_plain_fields(text) == "give tp = 8, or leave dp out");
  const auto as_flag = [](std::string_view name, std::string_view value) {
    return "--" + std::string(name) + (value.empty() ? "" : " " + std::string(value));
  };
  CHECK(with_fields_shown(text, as_flag) == "give --tp 8, or leave --dp out");
}

TEST_CASE("a text without fields, or with half a mark, stays as it is") {
  CHECK(with_plain_fields("plain") == "plain");
  CHECK(with_plain_fields("") == "");
  const std::string half = field("tp").substr(0, 2);
  CHECK(with_plain_fields(half) == half);
}

}  // namespace field_text_test
