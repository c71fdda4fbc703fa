#pragma once
// Everything the catalog holds, as values. Filled by catalog/, read by resolve() and the claims. An answer uses few of
// the entries, so they are made when asked for (see shelf.hpp); the formats are few and used by all.

#include <string>
#include <string_view>
#include <vector>

#include "base/numbers_entry.hpp"
#include "cost/calibration_entry.hpp"
#include "engine/engine.hpp"
#include "library/alias.hpp"
#include "library/config_words.hpp"
#include "library/measured.hpp"
#include "library/reuse.hpp"
#include "library/shelf.hpp"
#include "machine/chip.hpp"
#include "machine/format.hpp"
#include "machine/machine.hpp"
#include "machine/tier.hpp"
#include "model/model.hpp"

namespace ridge {

struct Library {
  Shelf<Source> sources;
  std::vector<Format> formats;
  Shelf<Chip> chips;
  Shelf<Machine> machines;
  Shelf<Model> models;
  Shelf<Engine> engines;
  Shelf<CalibrationEntry> calibrations;
  Shelf<NumbersEntry> scaling_laws;
  Shelf<NumbersEntry> lifecycles;
  Shelf<Tier> tiers;
  Shelf<ReuseCurve> reuse;
  Shelf<Alias> aliases;
  Shelf<ConfigKeys> config_keys;
  Shelf<ConfigName> config_names;
  Shelf<MeasuredChip> measured;
  Shelf<NumbersEntry> traffic;    // what providers say they serve
  Shelf<NumbersEntry> contracts;  // what renting for longer saves
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
