#pragma once
// A calibration as the catalog has it: fitted numbers by name, each with how well it is known, and what it was fitted to.

#include <map>
#include <string>

#include "base/provenance.hpp"

namespace ridge {

struct FittedNumber {
  double value = 1;   // in base units
  double spread = 0;  // standard deviation of its logarithm
};

struct CalibrationEntry {
  std::string name;       // of the chip or engine; "kernels", "step", ...
  std::string title, of;  // what it describes: chip, engine, kernels, step, harness or prior
  std::string range;      // what the rows covered
  std::string note;
  std::string measured;        // the chip whose rows were fitted, where the name is not that chip's
  double rows = 0, error = 0;  // fitted to so many, with this mean absolute error (a share)
  std::map<std::string, FittedNumber> numbers;
  Provenance from;
};

}  // namespace ridge
