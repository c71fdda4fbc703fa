// Is case i what nested loops would reach at step i, and do parts cover every case once?

#include "search/sweep/space.hpp"

#include <doctest/doctest.h>

using namespace ridge;

namespace {

SweepAxis numbers(std::string key, std::vector<double> values) {
  return {std::move(key), {}, std::move(values), "", ""};
}
SweepAxis words(std::string key, std::vector<std::string> values) {
  return {std::move(key), std::move(values), {}, "", ""};
}

}  // namespace

TEST_CASE("the last axis is the innermost loop") {
  // by hand: radices 2, 3, 4; strides 12, 4, 1; case 17 = 1*12 + 1*4 + 1
  const auto space = Space::of({words("machine", {"a", "b"}), numbers("x", {10, 20, 30}), numbers("y", {1, 2, 3, 4})});
  REQUIRE(space);
  CHECK(space->cases() == 24);
  CHECK(space->digit(0, 17) == 1);
  CHECK(space->digit(1, 17) == 1);
  CHECK(space->digit(2, 17) == 1);
  CHECK(space->digit(0, 23) == 1);
  CHECK(space->digit(1, 23) == 2);
  CHECK(space->digit(2, 23) == 3);
  std::uint64_t index = 0;
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t x = 0; x < 3; ++x) {
      for (std::size_t y = 0; y < 4; ++y, ++index) {
        CHECK(space->digit(0, index) == a);
        CHECK(space->digit(1, index) == x);
        CHECK(space->digit(2, index) == y);
      }
    }
  }
}

TEST_CASE("a stretch of cases has the values that its single cases have, wherever it starts") {
  const auto space = Space::of({numbers("x", {10, 20, 30}), words("w", {"a", "b"}), numbers("y", {1, 2, 3, 4, 5})});
  REQUIRE(space);
  for (std::uint64_t first = 0; first < space->cases(); ++first) {
    const auto count = static_cast<std::size_t>(space->cases() - first);
    std::vector<double> x(count), y(count);
    std::vector<std::size_t> w(count, 100);
    space->fill(0, first, count, x.data());
    space->fill(2, first, count, y.data());
    space->add_digits(1, first, count, 7, w.data());
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(x[i] == space->axes()[0].numbers[space->digit(0, first + i)]);
      CHECK(y[i] == space->axes()[2].numbers[space->digit(2, first + i)]);
      CHECK(w[i] == 100 + 7 * space->digit(1, first + i));
    }
  }
}

TEST_CASE("a space too large to count is refused") {
  const std::vector<double> many(1000, 1.0);
  std::vector<SweepAxis> axes(5, numbers("x", many));  // 10^15: still allowed
  CHECK(Space::of(axes)->cases() == kMostCases);
  axes.push_back(numbers("y", {1, 2}));
  const auto refused = Space::of(axes);
  REQUIRE(!refused);
  CHECK(refused.error().front().what.find("cases") != std::string::npos);
}

TEST_CASE("parts follow one another, cover everything and differ by one case at most") {
  for (const std::uint64_t cases : {0U, 1U, 7U, 100U, 1001U}) {
    for (const std::uint64_t parts : {1U, 2U, 3U, 10U, 150U}) {
      std::uint64_t end = 0, least = cases, most = 0;
      for (std::uint64_t part = 0; part < parts; ++part) {
        const CaseRange range = part_of(cases, part, parts);
        CHECK(range.first == end);
        end = range.last;
        least = std::min(least, range.size());
        most = std::max(most, range.size());
      }
      CHECK(end == cases);
      CHECK(most <= least + 1);
    }
  }
}
