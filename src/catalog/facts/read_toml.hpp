#pragma once
// TOML text to facts and scenario settings (toml_facts.cpp). toml_tree.hpp has the readers of the syntax.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "catalog/facts/fact.hpp"

namespace ridge::catalog {

/// One entry: chip/h200-sxm.toml is {category "chip", entry "h200-sxm"}. `place` is the file name shown in errors.
Result<std::vector<Fact>> read_entry(std::string_view text, std::string_view category, std::string_view entry,
                                     std::string_view place);

/// A file whose tables are the entries: sources.toml, format.toml.
Result<std::vector<Fact>> read_entries(std::string_view text, std::string_view category, std::string_view place);

/// An axis of a sweep as it was written: a list of values, or a range by its keys (from, to, step, ...).
struct AxisText {
  std::string key;
  std::vector<std::string> values;
  std::vector<std::pair<std::string, std::string>> range;
  std::string place;
};

/// A sweep's file: the scenario, and apart from it [sweep] in the order of the file, and `columns`.
struct SweepText {
  std::vector<Fact> facts;
  std::vector<AxisText> axes;
  std::vector<std::string> columns;
};
Result<SweepText> read_sweep_text(std::string_view text, std::string_view place);

}  // namespace ridge::catalog
