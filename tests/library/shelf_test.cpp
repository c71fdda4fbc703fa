// Are entries made only when asked for, while all of their names are known?

#include "library/shelf.hpp"

#include <doctest/doctest.h>

namespace shelf_test {

using namespace ridge;

namespace {

struct Item {
  std::string name;
  std::size_t number = 0;
};

}  // namespace

TEST_CASE("a shelf makes the entry that is asked for and no other") {
  std::vector<int> made(3, 0);
  const std::vector<std::string> names = {"b", "c", "a"};
  const Shelf<Item> shelf(names, [&](std::size_t i) {
    ++made[i];
    return Item{names[i], i};
  });
  CHECK(names_of(shelf) == names);
  CHECK(shelf.find("nobody") == nullptr);
  CHECK(made == std::vector<int>{0, 0, 0});
  REQUIRE(find_named(shelf, "c") != nullptr);
  CHECK(shelf.find("c")->number == 1);
  CHECK(made == std::vector<int>{0, 1, 0});
  std::string in_order;
  for (const Item& item : shelf) in_order += item.name;
  CHECK(in_order == "bca");
  CHECK(made == std::vector<int>{1, 1, 1});
}

TEST_CASE("what is added to a copy is not in the original, and the others are shared") {
  const Shelf<Item> shelf(std::vector<Item>{{"x", 1}, {"y", 2}});
  Shelf<Item> more = shelf;
  more.push_back({"z", 3});
  more.push_back({"x", 4});  // the first of a name is found
  CHECK(shelf.size() == 2);
  CHECK(shelf.find("z") == nullptr);
  CHECK(more.find("z")->number == 3);
  CHECK(more.find("x") == shelf.find("x"));
  more.pop_back();
  CHECK(more.size() == 3);
  more.clear();
  CHECK(more.empty());
  CHECK(more.find("x") == nullptr);
  CHECK(shelf.find("y")->number == 2);
}

}  // namespace shelf_test
