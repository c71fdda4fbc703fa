#pragma once
// From a question about a deployment under requests to a simulation of it: names resolved, the engine's rules from its
// facts and flags, its KV cache in blocks, step times from the equations.
//
//   SimulationQuestion --resolve--> SimulatedDeployment --simulate--> SimulationResult

#include <memory>
#include <optional>

#include "simulate/simulation.hpp"

namespace ridge::simulate {

/// What a user may say of the engine's scheduler, instead of its defaults.
struct SchedulerFlags {
  std::optional<double> max_sequences;  // of a rank
  std::optional<bool> chunked_prefill, prefix_cache, composed_early;
  std::optional<double> poll_steps;
  std::optional<double> token_budget;                   // instead of the deployment's, whose memory it leaves alone
  std::optional<double> balance_wait, balance_timeout;  // of attention DP
  QueueOrder order = QueueOrder::first_come;
};

/// A tier for cached context that a user asks for: an entry of catalog/tier, and what of it a replica has.
struct AskedTier {
  std::string name;
  double capacity = 0;  // bytes
};

struct SimulationQuestion {
  ServingQuestion serving;  // its lengths and its load are the client's
  ClientRules client;
  SchedulerFlags scheduler;
  Routing routing = Routing::least_loaded;
  std::optional<double> prefill_replicas;                         // where disaggregated; none: as many as keep up
  std::optional<double> prefill_sequences, prefill_token_budget;  // of a step there, each rank; none: as decode
  std::vector<AskedTier> tiers;                                   // below the chips' own memory, the nearest first
  FailureRules failures;
  bool cold_start = false;  // weights are read and the engine starts before the first step
  LatencyTargets targets;
  std::optional<double> shared;  // of all prompt tokens, what others begin with: none: as the client's rules say
  bool fresh = false;            // the server has computed no prompt before: a benchmark without a warm-up
  std::uint64_t seed = 1;
};

struct SimulatedDeployment {
  std::shared_ptr<const Deployment> deployment;
  RequestLoad load;  // what the client asks on average, as the closed form takes it
  ChipMemory memory;
  SimulationSetup setup;
  std::vector<std::string> notes;
};

/// The rules of a deployment's engine under these flags.
SchedulerRules rules_of(const Engine& engine, const ServingGround& ground, const SchedulerFlags& flags);

/// A deployment that is resolved already, under a client.
SimulatedDeployment simulated(std::shared_ptr<const Deployment> deployment, const SimulationQuestion& question,
                              const Library& library);

/// What cannot be simulated is an error: no requests, lengths of nothing, an engine whose rules nobody knows.
Result<SimulatedDeployment> resolve(const SimulationQuestion& question, const Library& library);

}  // namespace ridge::simulate
