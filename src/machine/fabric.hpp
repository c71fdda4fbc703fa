#pragma once
// How the chips of a scale-up domain reach each other.

#include "base/number/scalar.hpp"
#include "machine/machine.hpp"

namespace ridge {

enum class Topology {
  switched,  // every chip reaches every other at full speed
  mesh,      // a link to each other chip, a share of the speed each
  torus,     // links to neighbors: the rest is reached through them
};

struct Fabric {
  double domain = 1;  // chips
  Topology topology = Topology::switched;
};

inline Fabric fabric_of(const Machine& machine) {
  Fabric fabric{machine.chips.value, Topology::switched};
  if (machine.topology && machine.topology->value == "torus") fabric.topology = Topology::torus;
  if (machine.topology && machine.topology->value == "mesh") fabric.topology = Topology::mesh;
  return fabric;
}

/// Chips along each axis of a torus of so many, taken as a cube: what the catalog does not say.
inline double torus_side(double chips) { return pow(chips, 1.0 / 3); }

/// Steps between two chips of a torus, on average: a quarter of the ring along each of three axes, and at least one.
inline double torus_distance(double chips) { return max(1.0, torus_side(chips) * 0.75); }

}  // namespace ridge
