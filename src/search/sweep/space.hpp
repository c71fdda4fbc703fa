#pragma once
// The space of a sweep: every combination of the values of its axes, in the order of nested loops with the last axis
// innermost. Case i follows from i alone, so nothing is stored however many there are.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ridge {

/// One input and the values it takes: words, or numbers in base units.
struct SweepAxis {
  std::string key;
  std::vector<std::string> texts;  // as written; empty for a range
  std::vector<double> numbers;     // empty for words
  std::string unit;                // of the numbers
  std::string place;               // "grid.toml:7"

  std::size_t size() const { return numbers.empty() ? texts.size() : numbers.size(); }
  bool is_numeric() const { return !numbers.empty(); }
  /// What would stand in a scenario for the value.
  std::string text(std::size_t digit) const;
};

/// Far beyond what anybody can wait for, and safe in a double and in products of two.
inline constexpr std::uint64_t kMostCases = 1'000'000'000'000'000;
/// An axis is held in memory.
inline constexpr std::size_t kMostValues = 1'000'000;

class Space {
 public:
  Space() = default;
  /// The product of the axes, which have at least one value each; more than kMostCases is an error.
  static Result<Space> of(std::vector<SweepAxis> axes);

  const std::vector<SweepAxis>& axes() const { return axes_; }
  std::uint64_t cases() const { return cases_; }
  /// Which value of an axis a case has: mixed radix, the last axis being the lowest digit.
  std::size_t digit(std::size_t axis, std::uint64_t index) const {
    return static_cast<std::size_t>(index / strides_[axis] % axes_[axis].size());
  }
  /// The values of a numeric axis in `count` cases from `first` on.
  void fill(std::size_t axis, std::uint64_t first, std::size_t count, double* out) const;
  /// Adds weight times the digit of an axis to each of `count` cases from `first` on.
  void add_digits(std::size_t axis, std::uint64_t first, std::size_t count, std::size_t weight, std::size_t* out) const;

 private:
  std::vector<SweepAxis> axes_;
  std::vector<std::uint64_t> strides_;  // cases between two values of an axis
  std::uint64_t cases_ = 1;
};

/// Cases [first, last) of one part of n: parts differ by at most one case and stand one after the other.
struct CaseRange {
  std::uint64_t first = 0, last = 0;
  std::uint64_t size() const { return last - first; }
};
CaseRange part_of(std::uint64_t cases, std::uint64_t part, std::uint64_t parts);

}  // namespace ridge
