// Does a table hold the width of the terminal, and does it still say everything?

#include "report/base/listing_text.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "base/text/text.hpp"

namespace listing_text_test {

using namespace ridge;
using namespace ridge::report;

const Listing kShort = {{{"name"}, {.heading = "title", .unit = {}, .prose = true}, {"total", " params"}},
                        {{"a", "The first", "70B params"}, {"bc", "-", "7B params"}}};

int widest_line(std::string_view text) {
  int widest = 0;
  for (const std::string& line : split(text, '\n')) widest = std::max(widest, shown_width(line));
  return widest;
}

TEST_CASE("a table with room has one line a row") {
  CHECK(listing_text(kShort, {}) ==
        "name  title      total\n"
        "a     The first  70B params\n"
        "bc    -          7B params\n");
}

TEST_CASE("units go to the headings, and prose below the row, before a table is too wide") {
  CHECK(listing_text(kShort, {.columns = 24}) ==
        "name  total\n"
        "      params\n"
        "  title\n"
        "a     70B\n"
        "  The first\n"
        "bc    7B\n");
}

TEST_CASE("prose that has room beside the others is broken at words, in its column") {
  const Listing long_title = {{{"name"}, {.heading = "title", .unit = {}, .prose = true}, {"size"}},
                              {{"a", "a title of more than twenty characters", "1 GB"}}};
  CHECK(listing_text(long_title, {.columns = 30}) ==
        "name  title               size\n"
        "a     a title of more     1 GB\n"
        "      than twenty\n"
        "      characters\n");
}

TEST_CASE("a long name stands above its own row, and no word is lost in any width") {
  const std::string name = "somebody/a-very-long-name-of-a-model-that-nobody-would-type-twice";
  const Listing listing = {{{"name"}, {.heading = "title", .unit = {}, .prose = true}, {"total", " params"}},
                           {{name, std::string(100, 'x') + " and words", "70B params"}, {"b", "Été", "7B params"}}};
  for (int columns = 20; columns < 140; ++columns) {
    CAPTURE(columns);
    const std::string text = listing_text(listing, {.columns = columns});
    CHECK(widest_line(text) <= columns);
    std::string letters;
    for (const char c : text) {
      if (c != ' ' && c != '\n') letters += c;
    }
    CHECK(contains(letters, name));
    CHECK(contains(text, "Été"));
    CHECK(contains(text, "70B"));
  }
}

}  // namespace listing_text_test
