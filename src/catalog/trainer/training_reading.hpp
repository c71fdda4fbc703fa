#pragma once
// A command or a configuration with which somebody trains a model, as a question: layout, batch and recipe in our terms.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "library/library.hpp"
#include "train/command/trainer.hpp"
#include "train/step/training_question.hpp"

namespace ridge::catalog {

struct TrainingReading {
  std::string trainer, title;        // its name in the catalog, and for people
  std::string framework;             // the generation it is taken for
  std::string model;                 // the catalog's name, or a shape in words, where the command tells it
  std::optional<Model> shape;        // that the command describes, where no catalog has it; `model` is its name
  std::optional<double> chips;       // where it says how many
  std::optional<double> batch;       // sequences of a step
  std::optional<double> sequence;    // tokens
  std::optional<double> tokens;      // of the run
  std::string recipe;                // said, or the framework's usual one
  AskedLayout layout;                // whole: what is not said is one
  std::vector<std::string> ignored;  // flags that were not understood, with their values
  std::vector<std::string> notes;    // defaults used, and what was taken for what
};

/// `model_beside` is the user's own word for the model, where there is one; `chips_beside` likewise.
Result<TrainingReading> read_training_command(std::string_view text, const std::vector<Trainer>& trainers,
                                              const Library& library, std::string_view where,
                                              const std::string& model_beside = "", double chips_beside = 0);

}  // namespace ridge::catalog
