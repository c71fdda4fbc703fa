#pragma once
// What failures cost a run under each kind of checkpoints, by formula and by simulation, and the nodes to keep in reserve.

#include <optional>
#include <string>
#include <vector>

#include "base/numbers_entry.hpp"
#include "base/result.hpp"
#include "train/failure/failure_run.hpp"

namespace ridge::train {

struct GoodputQuestion {
  FailureCase<double> numbers;
  Ratio<double> node_chips{8.0};
  Seconds<double> repair;                   // until a node is back
  std::optional<Seconds<double>> interval;  // the best one where none is given
  std::uint64_t seed = 1;
  std::string source;  // the published run that numbers not given are from
};

/// A published run as a question: catalog/failure.
struct PublishedRun {
  std::string name, title, note;
  GoodputQuestion question;
  double unexpected = 0;  // interruptions
  Seconds<double> elapsed;
  std::optional<double> goodput_least;  // as published
  std::vector<std::string> assumed;     // fields of the question that are guesses
};
Result<PublishedRun> published_run(const NumbersEntry& entry);

struct GoodputRow {
  CheckpointKind kind = CheckpointKind::synchronous;
  CheckpointTimes<double> times;
  Seconds<double> young, daly;
  bool daly_holds = true;
  Seconds<double> interval;  // taken: as given, or Daly's, or as long as a write takes
  Goodput<double> closed;
  Seconds<double> elapsed;  // of the whole run, by the formula
  /// Nothing where next to no work is ever done.
  struct Simulated {
    SimulatedBest best;
    Goodput<double> shares;                           // at the interval taken
    Seconds<double> elapsed, elapsed_10, elapsed_90;  // over runs: mean, and between which four fifths lie
    int runs = 0;
  };
  std::optional<Simulated> simulated;
};

struct SpareNodes {
  double in_repair = 0;  // on average
  int needed = 0;        // so many are enough for 99 % of the time
};

struct GoodputAnswer {
  GoodputQuestion question;
  Seconds<double> mtbf;  // of the whole machine
  std::vector<GoodputRow> rows;
  SpareNodes spares;

  const GoodputRow& best() const;
};

Result<GoodputAnswer> answer_goodput(const GoodputQuestion& question);

/// Failures that are under repair at once are Poisson with mean rate x time, whatever the times' distribution (Palm 1943).
SpareNodes spare_nodes(Seconds<double> mtbf, Seconds<double> repair);

}  // namespace ridge::train
