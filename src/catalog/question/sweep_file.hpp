#pragma once
// A sweep's file: a scenario (roofline or serving), [sweep] with the axes, and the columns wanted.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "catalog/facts/read_toml.hpp"
#include "roofline/scenario.hpp"
#include "search/sweep/space.hpp"
#include "search/sweep/table.hpp"

namespace ridge::catalog {

struct SweepFile {
  Scenario base;
  std::vector<GivenInput> stays;  // numbers above [inputs]: they hold whatever model or machine an axis chooses
  bool serves = false;            // a layout or a load stands in it
  std::vector<std::pair<std::string, std::string>> serving;  // {"tp", "8"}, as given
  std::vector<std::string> serving_places;                   // of each
  bool simulates = false;  // a case is a simulation: it says so, or has what only a simulation has. It serves as well
  std::vector<std::pair<std::string, std::string>> simulation;  // {"requests", "500"}, as given
  Space space;
  std::vector<std::string> columns;  // by name; never empty
};

Result<SweepFile> read_sweep(std::string_view text, std::string_view place);

/// Every column the sweep can show.
std::vector<SweepColumn> known_columns(const SweepFile& file);

/// "tpot<30ms", "fits=true", "machine=hgx-h100"; the condition's column is added to `columns` where it is not there.
Result<Condition> read_condition(std::string_view text, const std::vector<SweepColumn>& known,
                                 std::vector<SweepColumn>& columns);

/// The values of an axis: a list, {from, to, step}, {from, to, points}, the same with log = true, or {from, to, factor}.
Result<SweepAxis> read_axis(const AxisText& axis, bool serves, bool simulates = false);

}  // namespace ridge::catalog
