#pragma once
// Measured training runs as cases of the equations, and what these say of them with given numbers.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "calibrate/evidence/training_evidence.hpp"
#include "library/library.hpp"
#include "train/step/training_estimate.hpp"

namespace ridge {

/// A row with everything that does not depend on training's numbers.
struct TrainingCase {
  TrainingRow row;
  const Model* model = nullptr;
  TrainingGround ground;
  TrainingLayout layout;
  TrainingOperations operations;
  std::vector<StageLayers> stages;
  HeldParams held;
};

struct TrainingCases {
  std::deque<Model> shapes;  // of models that no catalog has
  std::vector<TrainingCase> cases;
  std::map<std::string, std::size_t> left_out;  // by reason
};
/// Those that the equations are about.
TrainingCases training_cases(const std::vector<TrainingRow>& rows, const Library& library,
                             const std::vector<NumbersEntry>& recipes);

/// Training's numbers and those of every framework by name.
struct TrainingSet {
  TrainingCalibration<double> training;
  std::map<std::string, FrameworkCalibration<double>> frameworks;
  std::map<std::string, double> chips;  // time of all kernels over the usual
};
TrainingSet training_set(const Library& library);

TrainingTimes<double> predict_training(const TrainingCase& one, const TrainingSet& set);

/// A time that was measured, and where the prediction stands.
enum class TimedStep { step, forward, backward, optimizer };
double timed(const TrainingTimes<double>& times, TimedStep what);

/// The step as its clock saw it: one that was timed in parts has nothing between them.
double timed_step(const TrainingTimes<double>& times, const TrainingRow& row);

/// The stage whose chips reported what they hold.
const StageMemory& measured_stage(const TrainingMemory& memory, const TrainingRow& row);

bool is_memory_only(const TrainingCase& one);

}  // namespace ridge
