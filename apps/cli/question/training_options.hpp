#pragma once
// What ridge train is asked: its options, over a command or a configuration that somebody trains with.

#include <map>
#include <string>
#include <vector>

#include "base/numbers_entry.hpp"
#include "cli/program.hpp"
#include "train/command/trainer.hpp"
#include "train/step/training_question.hpp"

namespace ridge::cli {

struct AskedTraining {
  TrainingQuestion question;
  bool one = false;                // one layout is explained; otherwise the best is searched for
  std::vector<std::string> notes;  // of the command it was read from
};

/// The options, over what --from names.
Result<AskedTraining> asked_training(const Arguments& arguments, Program& program,
                                     const std::vector<Trainer>& trainers);

/// Puts words such as chips=1024, tp=8, global_batch=4Mi into a question; an unknown one names the nearest.
Errors put_words(TrainingQuestion& question, const std::map<std::string, std::string>& words, std::string_view where);

/// Whether a question's layout is said whole.
inline bool is_one_layout(const TrainingQuestion& question) {
  return question.layout.tensor.has_value() && question.layout.pipeline.has_value();
}

/// --anchor: the user's own run moves the time of all kernels; what was moved is a note.
Result<AskedTraining> with_anchor(AskedTraining asked, const Arguments& arguments, const Program& program,
                                  const std::vector<NumbersEntry>& recipes);

}  // namespace ridge::cli
