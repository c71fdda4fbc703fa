// Is the streaming frontier the one that comparing everything with everything gives, in any order?

#include "search/plan/frontier.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace ridge;

namespace {

std::vector<Candidate> some_cases(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Candidate> cases;
  // few different values, so that there are many equals
  for (std::uint64_t i = 0; i < 300; ++i) {
    cases.push_back({static_cast<double>(random() % 20), static_cast<double>(random() % 20), i});
  }
  return cases;
}

/// Written apart from the code under test: a case stays unless another is at least as good in both and better in one,
/// or equal with a lower number.
std::vector<Candidate> brute_force(const std::vector<Candidate>& cases) {
  std::vector<Candidate> kept;
  for (const Candidate& one : cases) {
    const bool beaten = std::any_of(cases.begin(), cases.end(), [&](const Candidate& other) {
      const bool equal = other.x == one.x && other.y == one.y;
      return equal ? other.index < one.index : other.x <= one.x && other.y <= one.y;
    });
    if (!beaten) kept.push_back(one);
  }
  std::sort(kept.begin(), kept.end(), [](const Candidate& a, const Candidate& b) { return a.x < b.x; });
  return kept;
}

}  // namespace

TEST_CASE("the streaming frontier equals brute force, whatever the order and the parts") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    auto cases = some_cases(seed);
    const auto expected = brute_force(cases);
    std::shuffle(cases.begin(), cases.end(), std::mt19937(seed + 100));
    Frontier whole, first, second, merged;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      whole.add(cases[i]);
      (i % 3 == 0 ? first : second).add(cases[i]);
    }
    CHECK(whole.candidates() == expected);
    for (const auto& part : {unpacked(packed(second.candidates())), unpacked(packed(first.candidates()))}) {
      for (const Candidate& one : part) merged.add(one);
    }
    CHECK(merged.candidates() == expected);
  }
}

TEST_CASE("the best are the lowest, of equals the first, whatever the order") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    auto cases = some_cases(seed);
    auto expected = cases;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Candidate& a, const Candidate& b) { return a.x < b.x; });
    expected.resize(7);
    std::shuffle(cases.begin(), cases.end(), std::mt19937(seed));
    BestCases best(7);
    for (const Candidate& one : cases) {
      if (one.x <= best.limit()) best.add(one);
    }
    CHECK(best.candidates() == expected);
  }
}
