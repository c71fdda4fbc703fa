#pragma once
// What would flip the verdict: for every input, the value nearest to its own at which another resource binds.

#include <string>
#include <vector>

#include "roofline/answer.hpp"

namespace ridge {

struct Flip {
  std::string input;         // its key: "hbm.bandwidth"
  double value = 0, to = 0;  // what it is, and from where on it flips
  Dimension dimension;
  std::string binds;  // then: "compute", "memory", "network"
  double factor() const { return to / value; }
};

/// Smallest changes first; inputs that flip nothing within a factor of 1,024, or within what they may be, are left out.
/// Inputs that are one physical number (an fp8 peak used twice) move together.
std::vector<Flip> flips(const ResolvedCase& resolved);

/// In that order.
void sort_flips(std::vector<Flip>& all);

}  // namespace ridge
