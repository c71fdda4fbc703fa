#pragma once
// Everything the catalog holds, as values. Filled by catalog/, read by resolve() and the claims.

#include <string>
#include <string_view>
#include <vector>

#include "base/numbers_entry.hpp"
#include "cost/calibration_entry.hpp"
#include "engine/engine.hpp"
#include "library/reuse.hpp"
#include "machine/chip.hpp"
#include "machine/format.hpp"
#include "machine/machine.hpp"
#include "machine/tier.hpp"
#include "model/model.hpp"

namespace ridge {

struct Library {
  std::vector<Source> sources;
  std::vector<Format> formats;
  std::vector<Chip> chips;
  std::vector<Machine> machines;
  std::vector<Model> models;
  std::vector<Engine> engines;
  std::vector<CalibrationEntry> calibrations;
  std::vector<NumbersEntry> scaling_laws;
  std::vector<NumbersEntry> lifecycles;
  std::vector<Tier> tiers;
  std::vector<ReuseCurve> reuse;
  std::vector<NumbersEntry> traffic;  // what providers say they serve
};

template <class T>
const T* find_named(const std::vector<T>& all, std::string_view name) {
  for (const T& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& all) {
  std::vector<std::string> names;
  for (const T& one : all) names.push_back(one.name);
  return names;
}

}  // namespace ridge
