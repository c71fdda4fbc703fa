#pragma once
// A sweep of simulations: each case is answered as `ridge simulate` answers it, with its own seed.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "search/sweep/space.hpp"
#include "search/sweep/table.hpp"
#include "simulate/answer/answer.hpp"

namespace ridge {

/// Every column a sweep of simulations can show.
std::vector<SweepColumn> simulation_columns();

class SimulationSweep {
 public:
  /// A case's question, and the texts its fields were given.
  struct Asked {
    simulate::SimulationQuestion question;
    std::vector<std::pair<std::string, std::string>> given;
  };
  /// By the case's number, or what is wrong with it.
  using Ask = std::function<Result<Asked>(std::uint64_t)>;
  /// Whether to go on; a run that is stopped leaves rows that nobody may use.
  using GoOn = std::function<bool()>;

  SimulationSweep(Space space, Ask ask, const Library& library, std::vector<SweepColumn> columns);

  const Space& space() const { return space_; }
  void evaluate(std::uint64_t first, std::size_t count, SweepTable& table, const GoOn& go_on = {}) const;

 private:
  Space space_;
  Ask ask_;
  const Library* library_;
  std::vector<SweepColumn> columns_;
  std::vector<int> axis_of_;
};

}  // namespace ridge
