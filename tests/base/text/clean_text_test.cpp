#include "base/text/clean_text.hpp"

#include <limits>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/text/text.hpp"

namespace clean_text_test {

using namespace ridge;

TEST_CASE("what acts on a terminal is shown instead") {
  CHECK(cleaned("a\x1b[2Jb", Allowed::lines) == "a\\u001b[2Jb");
  CHECK(cleaned("\x1b]0;title\x07", Allowed::colors) == "\\u001b]0;title\\u0007");
  CHECK(cleaned("bell\x07 back\b del\x7f", Allowed::lines) == "bell\\u0007 back\\u0008 del\\u007f");
  CHECK(cleaned("\xc2\x9b"
                "31m",
                Allowed::lines) == "\\u009b31m");  // a control in two bytes
  CHECK(cleaned("abc\xe2\x80\xae"
                "fed",
                Allowed::lines) == "abc\\u202efed");                      // right to left from here
  CHECK(cleaned("gpt\xe2\x80\x8b-4", Allowed::lines) == "gpt\\u200b-4");  // a space of no width
  CHECK(cleaned("a\r\nb\tc\n", Allowed::lines) == "a\\u000d\nb\tc\n");
  CHECK(cleaned("a\nb\tc", Allowed::none) == "a\\u000ab\\u0009c");
}

TEST_CASE("colors of ours stay in a terminal, and nothing else") {
  CHECK(cleaned("\x1b[1;31mred\x1b[0m", Allowed::colors) == "\x1b[1;31mred\x1b[0m");
  CHECK(cleaned("\x1b[1;31mred\x1b[0m", Allowed::lines) == "\\u001b[1;31mred\\u001b[0m");
  CHECK(cleaned("\x1b[1", Allowed::colors) == "\\u001b[1");
  CHECK(cleaned("\x1b[8mhidden", Allowed::colors) == "\\u001b[8mhidden");
  CHECK(cleaned("\x1b[1A", Allowed::colors) == "\\u001b[1A");
}

TEST_CASE("every byte string becomes UTF-8 without controls, and clean text stays as it is") {
  for (const std::string text : {"plain", "TP2·PP4 — 2×TP4", "█▉▊", "日本語", ""})
    CHECK(cleaned(text, Allowed::lines) == text);
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second), 'x'};
      const std::string clean = cleaned(text, Allowed::none);
      CHECK(is_utf8(clean));
      for (const char c : clean) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
      CHECK(clean.back() == 'x');
    }
  }
}

TEST_CASE("the last guard finds a number that is none, and no word that is one") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {inf, -inf, nan, -nan}) {
    const std::string text = fmt::format("first\n  step {:.2f} ms\nlast", value);
    CHECK(line_without_number(text) == fmt::format("  step {:.2f} ms", value));
    CHECK(!line_without_number(fmt::format("{}%", value)).empty());
    CHECK(!line_without_number(fmt::format("{}x more", value)).empty());
    CHECK(!line_without_number(fmt::format("x=\"{}\"", value)).empty());
    CHECK(line_without_number(fmt::format("unknown machine \"{}\"", value)).empty());
    CHECK(!line_without_number(fmt::format("({})", value)).empty());
  }
  for (const char* text : {"info", "inference", "nanoseconds", "banana", "reinf", "infinite", "my-inf", "no-nan here",
                           "models/nan/config.json"})
    CHECK(line_without_number(text).empty());
  CHECK(line_without_number("{\"error\": \"nan is no number\"}").empty());
  CHECK(line_without_number("{\n  \"tpot\": \"\\u0018 no number\"\n}") == "  \"tpot\": \"\\u0018 no number\"");
}

}  // namespace clean_text_test
