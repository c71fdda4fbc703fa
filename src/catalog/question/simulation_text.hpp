#pragma once
// A simulation from words: the options of ridge simulate (--requests, --think, ...) and the keys of a sweep's file.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "simulate/client/benchmark_client.hpp"
#include "simulate/client/request_mix.hpp"
#include "simulate/setup.hpp"
#include "simulate/simulation_fields.hpp"

namespace ridge::catalog {

/// Texts by the names of the fields that they are for.
struct SimulationTexts {
  std::vector<std::pair<std::string, std::string>> given;

  bool has(std::string_view key) const;
  std::string text(std::string_view key, std::string_view otherwise = {}) const;
  /// A switch that is on.
  bool is_on(std::string_view key) const { return text(key, "false") != "false"; }
};

/// What the words are read beside.
struct SimulationGround {
  const std::vector<simulate::BenchmarkClient>* clients = nullptr;
  std::shared_ptr<const simulate::Trace> trace = nullptr;  // that is replayed; outlives the question
  bool finds_rate = false;                                 // the rate is looked for, not given
  std::optional<simulate::RequestMix> mix = {};            // requests of several kinds, at the rate
};

struct ReadSimulation {
  simulate::SimulationQuestion question;
  std::shared_ptr<const simulate::MixedRequests> mixed;  // of a mix, which the question replays: outlives it
  std::int64_t requests = 0;                             // as given; 0: not
  std::vector<std::string> notes, taken;                 // of the client; what nobody gave, as it would be given
};

/// Errors name fields. `serving` and `scheduler` are what is known already.
Result<ReadSimulation> read_simulation(const SimulationTexts& texts, ServingQuestion serving,
                                       const simulate::SchedulerFlags& scheduler, const SimulationGround& ground);

}  // namespace ridge::catalog
