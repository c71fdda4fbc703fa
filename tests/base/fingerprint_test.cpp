#include "base/fingerprint.hpp"

#include <vector>

#include <doctest/doctest.h>

using namespace ridge;

namespace {

std::string print_of(const std::vector<std::string>& texts) {
  Fingerprint print;
  for (const std::string& text : texts) print.add(text);
  return print.text();
}

}  // namespace

TEST_CASE("the hash is FNV-1a: its authors' test vectors") {
  CHECK(fnv1a("") == 0xcbf29ce484222325u);
  CHECK(fnv1a("a") == 0xaf63dc4c8601ec8cu);
  CHECK(fnv1a("foobar") == 0x85944171f73967e8u);
  CHECK(fnv1a("bar", fnv1a("foo")) == fnv1a("foobar"));
}

TEST_CASE("a fingerprint tells apart what joined texts would not") {
  CHECK(print_of({"ab", "c"}) != print_of({"a", "bc"}));
  CHECK(print_of({"a"}) != print_of({"a", ""}));
  CHECK(print_of({"a", "b"}) != print_of({"b", "a"}));
  CHECK(print_of({"a", "b"}) == print_of({"a", "b"}));
  CHECK(print_of({""}).size() == 16);
}
