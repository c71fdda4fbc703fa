#pragma once
// catalog/calibration/*.toml: read into CalibrationEntry, and written from a fit.

#include "catalog/facts/entry.hpp"
#include "cost/calibration_entry.hpp"

namespace ridge::catalog {

CalibrationEntry read_calibration(Entry& entry);

/// The file that reads back as this entry.
std::string calibration_toml(const CalibrationEntry& entry);

}  // namespace ridge::catalog
