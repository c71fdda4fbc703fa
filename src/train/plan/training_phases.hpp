#pragma once
// A run in parts: context-length phases and a batch that grows. Each part has its own step, days and dollars.

#include <string>
#include <string_view>
#include <vector>

#include "train/plan/training_answer.hpp"

namespace ridge {

/// So many tokens of the run, and what each of them is trained in: a sequence length, or a batch.
struct TrainingStretch {
  double value = 0;   // tokens of a sequence, or of a batch
  double tokens = 0;  // 0: the rest of the run
};

/// "8Ki:14T,128Ki:1T", in the order of the run; without tokens, the last is the rest.
Result<std::vector<TrainingStretch>> parse_stretches(std::string_view text, std::string_view where);

/// One part of a run in which nothing changes.
struct TrainingPhase {
  double sequence = 0, batch = 0, tokens = 0;  // batch in tokens
};

/// What is left of a run when context phases and a batch ramp lie over each other; their tokens sum to the run's.
Result<std::vector<TrainingPhase>> training_phases(const TrainingQuestion& question,
                                                   const std::vector<TrainingStretch>& lengths,
                                                   const std::vector<TrainingStretch>& ramp);

struct PhasedAnswer {
  std::vector<TrainingPhase> phases;
  std::vector<TrainingAnswer> answers;  // of each
  double tokens = 0, seconds = 0, chip_hours = 0, dollars = 0, joules = 0;
  bool fits = true;
};

/// Each phase with the layout given, or with its own best one on the same chips.
Result<PhasedAnswer> answer_phases(const TrainingQuestion& question, const std::vector<TrainingPhase>& phases,
                                   const Library& library, const std::vector<NumbersEntry>& recipes, bool search);

}  // namespace ridge
