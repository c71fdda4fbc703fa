#pragma once
// The whole answer of `ridge train`: one layout explained, or the best of all; what else was nearly as good, what more or
// fewer chips would do, and the commands that start it.

#include <string>
#include <vector>

#include "train/command/trainer_command.hpp"
#include "train/plan/training_search.hpp"

namespace ridge {

struct FrontierPoint {
  double chips = 0;
  TrainingEstimate estimate;
};

/// The pipeline of the answer under a schedule, event by event.
struct SimulatedPipeline {
  std::string schedule;      // "1F1B", "interleaved", ...
  Seconds<double> makespan;  // of all micro-batches
  Seconds<double> bubble;    // idle time of the busiest rank in it
  double live = 0;           // micro-batches kept at once on the rank that keeps most
};

/// The answer's layout under another policy of recomputation.
struct RecomputeChoice {
  RecomputePolicy policy;
  Seconds<double> step;
  Bytes<double> kept, needed;  // activations on the fullest chip; all that it needs
  bool fits = false;
};

struct TrainingAnswer {
  TrainingGround ground;
  TrainingEstimate estimate;
  bool searched = false;
  TrainingSearch search;                // where searched
  std::string reason;                   // why this one
  std::string would_change;             // what would have to change for the runner-up to win
  std::vector<WayOut> ways_out;         // where it does not fit
  std::vector<FrontierPoint> frontier;  // other numbers of chips, each with its best layout
  std::vector<TrainingCommand> commands;
  std::vector<SimulatedPipeline> pipelines;  // where there are stages: the layout's own schedule first
  std::vector<RecomputeChoice> choices;      // the layout under each policy, the one that keeps most first
};

struct TrainingWishes {
  bool frontier = false;
  std::vector<Trainer> commands = {};  // written for these
};

/// Explains a layout where any degree is given together with the layout switch; otherwise searches.
Result<TrainingAnswer> answer_training(const TrainingQuestion& question, const Library& library,
                                       const std::vector<NumbersEntry>& recipes, bool search,
                                       const TrainingWishes& wishes);

/// The layout's own schedule and those that its stages and micro-batches allow beside it, each with the stages that are
/// there: a rank's chunks are taken as equal.
std::vector<SimulatedPipeline> simulated_pipelines(const TrainingEstimate& estimate);

/// Each policy that changes something for this model, reversible layers among them (another model, trained so from the
/// start: Gomez et al. 2017). What keeps most comes first.
std::vector<RecomputeChoice> recompute_choices(const TrainingGround& ground, const TrainingLayout& layout);

}  // namespace ridge
