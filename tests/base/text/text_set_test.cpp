#include "base/text/text_set.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

TEST_CASE("a set of texts says what is new and what is there, also after it has grown") {
  std::vector<std::string> words;
  for (int i = 0; i < 5000; ++i) words.push_back("model.layers." + std::to_string(i));
  ridge::TextSet set;  // expects nothing: must grow many times
  CHECK(set.empty());
  CHECK_FALSE(set.contains(""));
  for (const std::string& word : words) CHECK(set.insert(word));
  for (const std::string& word : words) {
    CHECK_FALSE(set.insert(std::string_view(word)));
    CHECK(set.contains(word));
  }
  CHECK_FALSE(set.contains("model.layers."));
  CHECK_FALSE(set.contains("model.layers.5000"));
  CHECK(set.insert(""));  // the empty text is a text
  CHECK(set.contains(""));
  CHECK_FALSE(set.empty());
}
