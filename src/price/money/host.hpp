#pragma once
// An open model on one's own chips against those who sell it: what its tokens cost, what they are sold for, and from
// how many a day on the chips are the cheaper way.

#include <optional>
#include <string>
#include <vector>

#include "price/make/computed_input.hpp"
#include "price/make/step_costs.hpp"
#include "price/money/margin.hpp"
#include "price/sheet/sheet.hpp"
#include "serve/cheapest_load.hpp"
#include "serve/slo/bought_replica.hpp"

namespace ridge {

struct HostQuestion {
  Deployed deployed;                     // the chips, and the load they are at
  std::optional<double> tokens_per_day;  // demand, input and output together
  std::optional<BoughtFleet> fleet;      // for that demand; none: whole nodes are counted by the closed form
};

/// The smallest demand at which whole nodes cost no more than buying the same tokens.
struct NodesEven {
  double tokens_per_day = 0;
  double nodes = 0;
  double utilization = 0;  // of what those nodes serve
};

/// What one who sells the model asks, for this mix of tokens.
struct HostRow {
  const PriceSheet* sheet = nullptr;
  DollarsPerToken<double> price{};  // of a token of the mix
  BreakEven<double> even;           // of one deployment, whatever the nodes it lies in
  std::optional<NodesEven> whole;   // of whole nodes; none: buying is always cheaper
  Ratio<double> margin{};           // of somebody who sells at these prices from these chips, all of them busy
  double per_day = 0;               // dollars for the demand, where one was given
};

struct MarginPoint {
  double hit = 0;                  // share of the input that a cache held
  DollarsPerToken<double> cost{};  // of a token of the mix
  std::vector<double> margins;     // by host, in their order
};

struct HostAnswer {
  HostQuestion question;
  ServingAnswer serving;
  TokenMix<double> request;                                        // of one request
  DollarsPerToken<double> fresh{}, output{};                       // cost of a token, all chips busy
  std::optional<DollarsPerToken<double>> cached;                   // of one that the cache in memory held
  DollarsPerToken<double> mixed{};                                 // of a token of the mix
  DollarsPerSecond<double> bill{};                                 // of one deployment
  Provenance price_from;                                           // of a chip's hour
  TokensPerSecond<double> capacity{};                              // it serves at most, of the mix
  StepCosts<double> step;                                          // of an output token
  std::optional<StepCosts<double>> fresh_prefill, cached_prefill;  // of computed and cached input; none: no room for it
  std::optional<ComputedInput> computed;                           // what computed input costs, and beside what
  double replicas = 1, nodes = 0;                                  // whole ones for the demand; no nodes without one
  double utilization = 1;                                          // of what is paid for them
  double per_day = 0;                                              // dollars for them
  std::vector<HostRow> hosts;                                      // cheapest first
  std::vector<MarginPoint> margins;
  std::vector<std::string> notes;

  /// What chips that wait for requests add to a token of this cost.
  DollarsPerToken<double> idle(const DollarsPerToken<double>& cost) const {
    return cost * Ratio<double>(1 / utilization - 1);
  }
};

struct HostResult {
  std::optional<HostAnswer> answer;
  std::optional<ServingShortfall> shortfall;
};

/// Where whole nodes of a deployment break even with buying at `price` for a token; none where they never do.
std::optional<NodesEven> nodes_even(const HostQuestion& question, const ServingAnswer& serving,
                                    const DollarsPerToken<double>& price);

/// A deployment at its load, all of its chips busy.
Result<ServingResult> hosted(const Deployed& deployed, const Library& library);

/// `sheets` are those to compare with; they have to outlive the answer.
Result<HostResult> answer_host(const HostQuestion& question, const std::vector<const PriceSheet*>& sheets,
                               const Library& library);

/// The newest sheets of a model of the catalog, by its name.
std::vector<const PriceSheet*> sheets_of_weights(const std::vector<PriceSheet>& sheets, std::string_view model);

}  // namespace ridge
