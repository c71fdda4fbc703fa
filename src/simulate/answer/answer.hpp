#pragma once
// A simulated deployment, what became of the requests, what it costs, and what the closed form of `ridge why` says.

#include <optional>
#include <string>
#include <vector>

#include "serve/serving.hpp"
#include "simulate/answer/capacity_error.hpp"
#include "simulate/answer/class_samples.hpp"
#include "simulate/answer/figures.hpp"
#include "simulate/answer/find_rate.hpp"
#include "simulate/setup.hpp"

namespace ridge::simulate {

/// A question that is resolved and fits: ready to run.
struct ReadySimulation {
  SimulationQuestion question;
  SimulatedDeployment simulated;
  ServingAnswer closed;            // the closed form at the same load
  double closed_load = 0;          // share of the requests a second that it takes for possible; 0: not asked by a rate
  std::optional<double> capacity;  // those, where a rate is asked for
};

/// Does not fit: an answer, with what is missing.
struct Readiness {
  std::optional<ReadySimulation> ready;
  std::optional<ServingShortfall> shortfall;
};

Result<Readiness> ready(const SimulationQuestion& question, const Library& library);

struct SimulationAnswer {
  ReadySimulation asked;
  SimulationResult result;
  std::size_t seeds = 1;
  std::vector<SeedSpread> over_seeds;  // where there are several
  std::optional<RateSearch> search;
  std::optional<TtftRange> near;     // of an open loop near its capacity
  std::optional<RequestMix> mix;     // where requests are of several kinds
  std::vector<ClassSpread> classes;  // of those, in their order
  std::vector<std::string> notes;

  const ServingGround& ground() const { return asked.simulated.deployment->ground; }
  const Layout& layout() const { return asked.simulated.deployment->layout(); }
  const LatencyTargets& targets() const { return asked.question.targets; }
  /// Those for prefill included.
  double chips() const;

  /// Dollars a second, over the share of the paid time that is in use.
  double bill() const;
  /// The whole bill over the output tokens, or over all tokens; dollars a token. 0: none were made.
  double cost() const;
  double cost_of_all() const;
  /// Found in the prefix cache, of all prompt tokens.
  double hit_rate() const;
  /// Of those, fetched from a tier below the chips' own memory.
  double fetched_rate() const;
};

/// What a reader should know, after the run.
std::vector<std::string> notes_of(const SimulationAnswer& answer);

}  // namespace ridge::simulate
