#pragma once
// The answer of `ridge train`: screen and JSON.

#include <string>

#include "report/base/style.hpp"
#include "train/plan/training_answer.hpp"

namespace ridge::report {

/// Of what a chip holds, the term that takes most.
MemoryTerm largest_term(const StageMemory& stage);

std::string training_text(const TrainingAnswer& answer, const Style& style);
std::string training_json(const TrainingAnswer& answer);

}  // namespace ridge::report
