#pragma once
// A benchmark result held against a prediction: the question it answers, resolved, with what was measured.

#include <optional>

#include "calibrate/evidence/benchmark_result.hpp"
#include "serve/deployment.hpp"

namespace ridge {

/// What the user says of the results: it wins over what the files state.
struct AnchorGiven {
  std::string model, machine, engine;  // empty: as the file states
  std::optional<std::string> weights, experts, kv;
  std::optional<double> tensor, pipeline, attention_data, expert, context, memory_utilization, token_budget, cached;
};

/// Which of a deployment's figures was measured.
enum class AnchorFigure { tpot, step, prefill };

constexpr std::string_view name_of(AnchorFigure figure) {
  constexpr std::string_view kNames[] = {"TPOT", "decode step", "prefill"};
  return kNames[static_cast<std::size_t>(figure)];
}

/// What is known of a chip before any anchor: its own calibration, those of several others of its maker, or less.
enum class ChipPrior { own, borrowed, stranger };
ChipPrior chip_prior(const Library& library, const Chip& chip);

/// A measured time of a deployment under a load; evaluated many times in a fit.
struct AnchorCase {
  std::string name;  // where it stands: "run.json: line 3"
  ServingQuestion question = {};
  Deployment deployment;
  RequestLoad requests = {};  // as it was measured
  ServingLoad<double> load;
  AnchorFigure figure = AnchorFigure::tpot;
  double measured = 0;  // s
  ChipPrior chip_prior = ChipPrior::own;
  std::vector<std::string> notes;  // what was assumed about the file

  const StepOperations& operations() const { return deployment.decode.operations; }
  const std::string& chip() const { return deployment.ground.chip->name; }
  const std::string& engine() const { return deployment.ground.engine.name; }
};

/// The question that a result answers, from what it states and what is given; errors name the field that is missing.
struct AnchorQuestion {
  ServingQuestion question;
  std::vector<std::string> notes;
};
Result<AnchorQuestion> question_of(const BenchmarkResult& result, const AnchorGiven& given, const Library& library);

/// The format that a benchmark's word for it means on this machine; none where the model was released in it, or nobody
/// knows the word.
std::optional<std::string> weights_of(const std::string& word, const Model& model, const Machine& machine,
                                      const Library& library);

/// The case of a result; an error where something is missing, or nothing of it can be predicted.
Result<AnchorCase> anchor_case(const BenchmarkResult& result, const AnchorGiven& given, const Library& library);

/// Seconds, with the calibrations that the deployment was resolved with, or with these.
double predicted_time(const AnchorCase& anchor);
double predicted_time(const AnchorCase& anchor, const ChipCalibration<double>& chip,
                      const EngineCalibration<double>& engine);

/// Seconds that physics allows at least.
double bound_of(const AnchorCase& anchor);

/// A result with the prediction beside it.
struct HeldResult {
  BenchmarkResult result;
  bool predicted = false;
  AnchorFigure figure = AnchorFigure::tpot;
  double measured = 0, prediction = 0, bound = 0;  // s, where predicted
  std::string setting;                             // "DeepSeek-V3, TP8 on HGX H200, vllm"
  std::vector<std::string> notes;                  // what was assumed for it
  std::string unpredicted;                         // why there is none

  double error() const { return prediction / measured - 1; }
  /// A wrong file, a wrong setting, or a wrong peak.
  bool beats_bound() const { return predicted && measured < bound; }
};
HeldResult held_against(BenchmarkResult result, const AnchorGiven& given, const Library& library);

}  // namespace ridge
