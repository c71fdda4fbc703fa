#pragma once
// Commands that start a training layout in a framework, with what that framework cannot say.

#include <string>
#include <vector>

#include "train/command/trainer.hpp"
#include "train/step/training_estimate.hpp"

namespace ridge {

struct TrainingCommand {
  std::string trainer, framework;  // its name in the catalog, and for people
  std::string text;
  bool exact = true;  // it is that layout; where not, a note says what differs
  std::vector<std::string> notes;
};

/// What a command is made from.
struct TrainingSetup {
  TrainingLayout layout;
  double batch = 0, sequence = 0, tokens = 0;  // sequences of a step; tokens of a sequence and of the run (0: unsaid)
  double layers = 0;
  bool experts = false;
  double node = 8;  // chips that one server starts
  std::string recipe;
  std::string shape;  // of a model that no catalog has, in words (train/step/model_shape.hpp)
};

TrainingCommand trainer_command(const Trainer& trainer, const TrainingSetup& setup);

/// The setup of an answer.
TrainingSetup setup_of(const TrainingGround& ground, const TrainingLayout& layout);

}  // namespace ridge
