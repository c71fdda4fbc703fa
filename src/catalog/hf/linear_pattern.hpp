#pragma once
// Regular expressions in linear time, without a library: the part of RE2's syntax that lists of modules use. Characters,
// classes, groups, alternatives, repetitions, begin and end of the text, over ASCII. What is beyond that (flags, word
// boundaries, Unicode, look-ahead) is refused, never misread; tests/catalog/hf/linear_pattern_test.cpp holds it to RE2.
// Method: Thompson's simulation of the nondeterministic automaton, CACM 11 (1968).

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace ridge::catalog {

class LinearPattern {
 public:
  /// Nothing where it is wrong, beyond the subset, or larger than a few thousand steps.
  static std::optional<LinearPattern> read(std::string_view pattern);

  /// Whether it matches from the start of the text on, to anywhere.
  bool match_start(std::string_view text) const;

  using Characters = std::bitset<128>;
  enum class Does { take, split, begin, end, match };
  /// A step of the automaton: takes a character, goes two ways, or asks where it is.
  struct Step {
    Does does = Does::match;
    std::size_t next = 0, other = 0;
    Characters characters = {};
  };

 private:
  explicit LinearPattern(std::vector<Step> steps) : steps_(std::move(steps)) {}

  std::vector<Step> steps_;  // it begins with the last of them
};

}  // namespace ridge::catalog
