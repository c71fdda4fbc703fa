#include "base/fingerprint.hpp"

#include <doctest/doctest.h>

using namespace ridge;

namespace {

std::string print_of(auto... parts) {
  Fingerprint print;
  (print.add(parts), ...);
  return print.text();
}

}  // namespace

TEST_CASE("the hash is FNV-1a: its authors' test vectors") {
  CHECK(fnv1a("") == 0xcbf29ce484222325u);
  CHECK(fnv1a("a") == 0xaf63dc4c8601ec8cu);
  CHECK(fnv1a("foobar") == 0x85944171f73967e8u);
  CHECK(fnv1a("bar", fnv1a("foo")) == fnv1a("foobar"));
}

TEST_CASE("a fingerprint tells apart what joined texts and rounded numbers would not") {
  using Text = std::string_view;
  CHECK(print_of(Text("ab"), Text("c")) != print_of(Text("a"), Text("bc")));
  CHECK(print_of(Text("a")) != print_of(Text("a"), Text("")));
  CHECK(print_of(1.0) != print_of(1.0 + 0x1p-52));
  CHECK(print_of(1.0, 2.0) != print_of(2.0, 1.0));
  CHECK(print_of(Text("a"), 1.0) == print_of(Text("a"), 1.0));
  CHECK(print_of(Text("")).size() == 16);
}
