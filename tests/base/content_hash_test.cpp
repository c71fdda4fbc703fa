#include "base/content_hash.hpp"

#include <string>

#include <doctest/doctest.h>

namespace content_hash_test {

using ridge::ContentHash;

std::string hash_of(std::string_view text) {
  ContentHash hash;
  hash.add(text);
  return hash.text();
}

TEST_CASE("a content hash is XXH64") {
  // the values of xxhsum and of the Python package xxhash
  CHECK(hash_of("") == "ef46db3751d8e999");
  CHECK(hash_of("a") == "d24ec4f1a98c6e5b");
  CHECK(hash_of("abc") == "44bc2cf5ad770999");
  CHECK(hash_of("Nobody inspects the spammish repetition") == "fbcea83c8a378bf1");
}

TEST_CASE("pieces of any length hash as the whole") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 37 + i / 7);
  const std::string whole = hash_of(text);
  for (std::size_t step = 1; step < 100; ++step) {
    ContentHash hash;
    for (std::size_t at = 0; at < text.size(); at += step) hash.add(std::string_view(text).substr(at, step));
    CHECK(hash.text() == whole);
    CHECK(hash.size() == text.size());
  }
}

TEST_CASE("one bit more or less is another hash") {
  std::string text(100, 'x');
  const std::string whole = hash_of(text);
  for (char& c : text) {
    c ^= 1;
    CHECK(hash_of(text) != whole);
    c ^= 1;
  }
  CHECK(hash_of(text + '\0') != whole);
}

}  // namespace content_hash_test
