#pragma once
// Measured serving runs, simulated request by request as their client sent them: what a client's percentiles are held
// against.

#include <optional>

#include "calibrate/fit/simulated_row.hpp"
#include "calibrate/judge/validate.hpp"

namespace ridge {

// Groups of the lines: all runs, and "simulated: vllm on hgx-h100"; what the closed form is off by where both are ours.
inline constexpr std::string_view kSimulatedGroup = "simulated";
inline constexpr std::string_view kClosedGroup = "closed form against simulation";

/// A figure of a client's report.
struct SimulatedFigure {
  std::string_view name;               // "TTFT p99"
  double measured = 0, predicted = 0;  // s
};

struct SimulatedRun {
  std::string set;                       // its own line: "vllm on hgx-h100", "open-loop-vllm"
  bool pooled = true;                    // among all runs, too
  std::vector<SimulatedFigure> figures;  // those that were measured, and that tell something
  // The closed form of `ridge why` at the same load, held against the simulated steady state.
  std::vector<SimulatedFigure> closed = {};
  std::string id = {};                   // of the row
  std::optional<bool> is_in_range = {};  // near saturation: whether TTFT is in the range that an answer gives there
  std::string configuration = {};        // the same for runs that no prediction can tell apart
};

/// The run again, by the calibrations of its deployment; one seed.
SimulatedRun simulate_run(const RunCase& run, const Library& library);

/// All runs of the evidence that can be.
std::vector<SimulatedRun> simulate_runs(const Evidence& evidence, const Library& library);

/// Runs of which it is known how each request was sent. What does not fit by our count of memory is left out. Where an
/// answer would give a range of TTFT, since a tenth of capacity changes it several-fold, a run is told apart.
std::vector<SimulatedRun> simulate_sent(const Evidence& evidence, const Library& library);

/// How far repeated runs lie apart in the figures that are judged, by set.
std::vector<NoiseLine> simulated_noise(const std::vector<SimulatedRun>& runs);

/// Errors of each figure over all runs, then of each engine on each machine.
std::vector<ValidationLine> simulated_errors(const std::vector<SimulatedRun>& runs);

}  // namespace ridge
