#pragma once
// A machine: chips in one scale-up domain, how it is wired to its neighbors, and what it costs.

#include <optional>
#include <string>

#include "base/number/units.hpp"
#include "base/provenance.hpp"

namespace ridge {

/// What owning one chip takes, its share of the rack included.
struct Ownership {
  Sourced<Dollars<double>> capex;
  Sourced<Seconds<double>> life;
  Sourced<Watts<double>> power;  // all-in, before PUE
  Sourced<Ratio<double>> pue;    // power usage effectiveness of the building
  Sourced<DollarsPerJoule<double>> electricity;
  Sourced<Ratio<double>> cost_of_capital;  // a year
};

struct Machine {
  std::string name, title, note;
  std::string chip;
  Sourced<double> chips;                                     // in the scale-up domain
  std::optional<Sourced<double>> node;                       // chips sold together; none: the scale-up domain
  std::optional<Sourced<BytesPerSecond<double>>> scale_up;   // per chip, one way
  std::optional<Sourced<BytesPerSecond<double>>> scale_out;  // per chip, one way
  std::optional<Sourced<Seconds<double>>> hop;               // of a message to the next domain, without the transfer
  std::optional<Sourced<std::string>> technology, topology;
  // per chip, by the contract; `rental` is one whose contract nobody says, the others what the market asks
  std::optional<Sourced<DollarsPerSecond<double>>> on_demand, reserved_1y, reserved_3y, rental;
  std::optional<Sourced<DollarsPerSecond<double>>> rental_low, rental_high;
  std::optional<Ownership> owned;
};

/// Chips that are bought or rented together.
inline double node_of(const Machine& machine) { return machine.node ? machine.node->value : machine.chips.value; }

}  // namespace ridge
