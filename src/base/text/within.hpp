#pragma once
// What a number that somebody gives may be.

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace ridge {

struct Within {
  double least = 0.0, most = 1e30;
  bool above = false;  // the least itself is too little
  bool whole = false;
};
inline constexpr Within kAboveZero{.above = true};
inline constexpr Within kShareOfOne{.most = 1.0};
inline constexpr Within kAnything{.least = -1e300, .most = 1e300};

/// Of what was written as `text`; an error says what may be given.
Result<bool> checked_within(double value, const Within& within, std::string_view text, std::string_view where);

}  // namespace ridge
