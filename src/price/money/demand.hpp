#pragma once
// How many people it takes: to fill the batch of a deployment, and to make sparsity worth its memory.

#include <optional>
#include <string>
#include <vector>

#include "roofline/answer.hpp"
#include "serve/serving.hpp"
#include "serve/slo/bought_replica.hpp"
#include "serve/slo/fleet_size.hpp"
#include "train/scaling.hpp"

namespace ridge {

struct DemandQuestion {
  Scenario scenario;
  bool given_batch = false;            // otherwise the batch that balances compute and memory, if it fits
  TokensPerSecond<double> per_user{};  // tokens a person asks for, on average; 0: as the catalog assumes
  std::string law;                     // of experts; empty: the usual one
  std::vector<Ratio<double>> streams;  // sequences at once, for the curves of sparsity; empty: some
  /// The deployment that `ridge host` has for requests as long as the context, where one is found.
  std::optional<ServingAnswer> served;
  std::optional<BoughtFleet> fleet;  // what `ridge plan` takes for a rate, of which that is a replica
};

/// A batch and what keeps it full.
struct DemandPoint {
  std::string name;
  Ratio<double> batch{};
  Seconds<double> step{};
  TokensPerSecond<double> rate{};
  Ratio<double> users{};
  DollarsPerToken<double> cost{};
};

/// What a deployment needs that is calibrated, prefill and all, on the whole nodes that it takes.
struct DeployedDemand {
  FleetSize nodes;
  TokensPerSecond<double> rate{};  // output tokens, of all that those nodes hold
  Ratio<double> users{};
  DollarsPerToken<double> cost{};  // the whole bill over the output tokens, all of them busy
};

/// A provider's published traffic beside it.
struct TrafficShare {
  std::string name, title;
  TokensPerSecond<double> traffic{};               // input and output together
  TokensPerSecond<double> output{};                // of it; what a deployment's output is compared with
  std::optional<Sourced<Ratio<double>>> by_share;  // the output is not published, and taken as such a share
  Ratio<double> share{};                           // that one deployment takes of the output
  Ratio<double> deployments{};                     // that it fills
  Provenance from;
};

/// Cost against total over active parameters for so many sequences at once, at the same quality.
struct SparsityCurve {
  Ratio<double> streams{};  // unbounded: as many as one likes
  std::vector<double> sparsity, cost, active;
  std::size_t best = 0;
};

/// What the curves say of sparsity, from few sequences to many.
enum class SparsityVerdict {
  never,        // the dense model is the cheapest whatever the number of sequences
  with_users,   // with more of them more sparsity is best
  always_same,  // some sparsity is best, the same for all
  mixed         // the best rises and falls
};
SparsityVerdict sparsity_verdict(const std::vector<SparsityCurve>& curves);

struct DemandAnswer {
  DemandQuestion question;
  ResolvedCase resolved;
  DemandPoint point;                // the batch asked for
  std::vector<DemandPoint> others;  // quarter, balance, the largest that fits
  std::optional<DeployedDemand> deployed;
  double balance = 0;  // batch at which compute takes as long as memory; infinite: none
  double largest = 0;  // that fits
  std::vector<TrafficShare> traffic;
  TokensPerSecond<double> per_user{};
  Provenance per_user_from;
  std::string law_title;
  double dense_equivalent = 0;  // quality held along the curves
  std::vector<SparsityCurve> curves;
  std::vector<std::string> notes;
};

Result<DemandAnswer> answer_demand(const DemandQuestion& question, const Library& library);

/// The active parameters with which a model of so many times more in all is as good as a dense one.
Params<double> active_for(const ExpertLaw<double>& law, const Params<double>& dense, double sparsity);

}  // namespace ridge
