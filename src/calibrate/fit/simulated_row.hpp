#pragma once
// A measured run, simulated as its client sent it.

#include <optional>

#include "calibrate/fit/serving_fit.hpp"
#include "simulate/setup.hpp"

namespace ridge {

/// Whether a run says how its requests were sent, and by our count of memory it held them all: no benchmark says how many
/// of its requests waited.
bool can_simulate(const RunCase& run);

/// The benchmark client of InferenceX: all users at once, lengths alike from twice the mean less the nominal up to it.
simulate::SimulationQuestion asked_of_run(const ServingRow& row);

/// What a client reports; s.
struct ClientFigures {
  double ttft_mean = 0, ttft_p50 = 0, ttft_p99 = 0, tpot = 0, itl_p50 = 0, itl_p99 = 0;
};

/// The run again with the numbers of a set, one seed; nothing where no request was answered.
std::optional<ClientFigures> simulated_figures(const RunCase& run, const CalibrationSet& set, const Library& library);

}  // namespace ridge
