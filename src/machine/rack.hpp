#pragma once
// What a rack is built like, and what one rack can be given: power, cables, the way to the next. Mostly assumptions.

#include <optional>
#include <string>

#include "base/number/units.hpp"
#include "base/provenance.hpp"

namespace ridge {

struct RackFacts {
  std::string name, title;                            // name: of the machine
  std::optional<Sourced<Watts<double>>> power;        // drawn by a full rack, and so its heat
  std::optional<Sourced<Watts<double>>> power_limit;  // that one rack can be fed and cooled with
  // Cables: every chip has `links` into each of `planes` switches, and a link is `wires` cables.
  std::optional<Sourced<double>> links, planes, wires;
  std::optional<Sourced<double>> cable_limit;
};

}  // namespace ridge
