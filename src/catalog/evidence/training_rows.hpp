#pragma once
// Measured training runs of catalog/evidence/training.csv, or of a user's folder of the same.

#include "calibrate/evidence/training_evidence.hpp"
#include "catalog/evidence/evidence_file.hpp"

namespace ridge::catalog {

/// The rows of training.csv among the files, or everything that is wrong with them.
Result<std::vector<TrainingRow>> read_training(const std::vector<NamedText>& files);

}  // namespace ridge::catalog
