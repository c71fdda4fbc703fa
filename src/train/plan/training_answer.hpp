#pragma once
// The whole answer of `ridge train`: one layout explained, or the best of all; what else was nearly as good, what more or
// fewer chips would do, and the commands that start it.

#include <string>
#include <vector>

#include "train/plan/training_search.hpp"

namespace ridge {

struct FrontierPoint {
  double chips = 0;
  TrainingEstimate estimate;
};

struct TrainingCommand {
  std::string framework, text;
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
};

struct TrainingWishes {
  bool frontier = false;
  bool commands = false;
};

/// Explains a layout where any degree is given together with the layout switch; otherwise searches.
Result<TrainingAnswer> answer_training(const TrainingQuestion& question, const Library& library,
                                       const std::vector<NumbersEntry>& recipes, bool search,
                                       const TrainingWishes& wishes);

/// Megatron-LM's and torchtitan's ways to start a layout.
std::vector<TrainingCommand> training_commands(const TrainingGround& ground, const TrainingEstimate& estimate);

}  // namespace ridge
