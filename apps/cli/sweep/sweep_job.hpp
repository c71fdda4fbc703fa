#pragma once
// What `ridge sweep` was asked to do, ready to run: the same on every process that shares it.

#include <functional>
#include <optional>
#include <variant>

#include "catalog/question/sweep_cases.hpp"
#include "cli/program.hpp"
#include "cli/sweep/sweep_state.hpp"
#include "cli/sweep/world.hpp"
#include "report/search/sweep_rows.hpp"

namespace ridge::cli {

/// Which rows are kept of a whole sweep.
struct Summary {
  enum class Kind { rows, best, pareto };
  Kind kind = Kind::rows;
  std::size_t keep = 1;      // of best
  std::size_t x = 0, y = 0;  // columns of the table
  bool more_x = false, more_y = false;
  std::string text = "rows";
};

/// The cases that a summary has kept so far.
class Kept {
 public:
  explicit Kept(const Summary& summary);
  void add(const Candidate& candidate);
  /// One with a larger x need not be added.
  double limit() const;
  const std::vector<Candidate>& candidates() const;

 private:
  std::variant<BestCases, Frontier> kept_;
};

struct SweepJob {
  catalog::SweepFile file;
  /// What the rows have, and what every case has: the same and what conditions ask about, or only what a summary needs.
  std::vector<SweepColumn> shown, computed;
  std::vector<Condition> conditions;
  Summary summary;
  report::RowFormat format = report::RowFormat::csv;
  using Sweep = std::variant<std::monostate, RooflineSweep, ServingSweep, SimulationSweep>;
  Sweep sweep, shown_sweep;  // of the columns computed; of a summary, of the rows shown
  std::uint64_t part = 1, parts = 1;
  CaseRange range;  // of this part
  std::string fingerprint;

  /// Cases of one task: large enough to be worth handing out, small enough to share evenly.
  std::uint64_t task_size() const;
  /// Rows as they go into the file, or the candidates of a summary. Of simulations nothing that may be used once somebody
  /// has asked to stop.
  std::string make(const world::Stretch& cases) const;
  /// The rows of single cases.
  std::string rows_of(const std::vector<Candidate>& candidates) const;
  SweepState state() const;
};

Result<SweepJob> sweep_job(const Arguments& arguments, Program& program);

}  // namespace ridge::cli
