#pragma once
// Catalog entries that a command made, as JSON around their TOML.

#include <string>
#include <vector>

namespace ridge::report {

struct EntryText {
  std::string name, toml;
};

/// ridge.import/1
std::string import_json(const EntryText& entry);
/// ridge.calibrate/1
std::string calibrate_json(const std::vector<EntryText>& entries);

}  // namespace ridge::report
