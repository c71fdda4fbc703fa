#pragma once
// Amounts under each other: one number of decimals for all of a column, so that they can be compared at a glance.

#include <string>
#include <vector>

namespace ridge::report {

/// As many decimals as the amount needs that needs most to be exact or to keep three digits, two at least and four at
/// most.
class MoneyColumn {
 public:
  explicit MoneyColumn(const std::vector<double>& dollars);
  /// "$15.00"; what would be nothing in so many decimals is "<$0.0001".
  std::string text(double dollars) const;
  int decimals() const { return decimals_; }

 private:
  int decimals_ = 2;
};

}  // namespace ridge::report
