#pragma once
// What a run writes while it goes on: requests as CSV (--csv), events for a trace viewer (--trace-out). Each file is there
// as a whole, or not at all.

#include <optional>
#include <string>

#include "base/result.hpp"
#include "cli/output/whole_file.hpp"
#include "report/simulate/request_csv.hpp"
#include "simulate/simulation.hpp"

namespace ridge::cli {

class RunFiles {
 public:
  /// Empty: not asked for.
  static Result<RunFiles> open(const std::string& csv, const std::string& events, std::int32_t replicas);

  /// Who looks on for these files; this object must stay where it is.
  simulate::Onlookers onlookers();
  /// A write that failed: there is no point in going on.
  bool failed() const { return !errors_.empty(); }
  /// The files are there.
  Result<bool> finish(const simulate::SimulationResult& result);

 private:
  struct Growing {
    WholeFile file;
    std::string name, waiting;  // what is not yet written
  };
  void add(std::optional<Growing>& to, std::string_view piece, bool flush = false);

  std::optional<Growing> csv_, events_;
  report::RowsInOrder rows_;
  Errors errors_;
};

}  // namespace ridge::cli
