#pragma once
// The operator's question: how many whole nodes for so many requests a second within an SLO, or how many requests some
// nodes serve. The closed form of the planner screens all deployments, the simulator decides among the best few.
//
//   FleetQuestion --make_plan--> the best few --fleet_at, simulated--> FleetAnswer

#include <functional>
#include <memory>

#include "base/text/period_text.hpp"
#include "search/fleet/fleet_slice.hpp"
#include "search/plan/plan.hpp"
#include "serve/slo/slo.hpp"
#include "simulate/answer/class_samples.hpp"
#include "simulate/simulation.hpp"

namespace ridge {

struct FleetQuestion {
  PlanRequest plan;  // with a FleetAim; its targets and objective follow from the SLO and the aim
  std::vector<SloTarget> slo;
  std::optional<simulate::RequestMix> mix;       // instead of requests that are alike
  std::shared_ptr<const simulate::Trace> trace;  // or what was recorded, sped up or slowed down to the rate
  std::vector<double> by_hour;                   // requests a second in each hour of a day; the fleet serves the most
  bool simulates = true;
  std::size_t deployments = 3;  // that are simulated
  std::uint64_t seed = 1;
};

/// One promise: what is expected of it, and how likely it holds.
struct PromisedFigure {
  SloTarget target;
  double value = 0;  // s, expected
  double odds = 0;   // that a measurement stays within the limit, by the errors of runs that were left out of the fit
};

/// What a simulation of a whole fleet saw.
struct SimulatedFleet {
  simulate::Spread ttft, tpot, e2e;  // of steady requests
  double busy = 0;                   // share of the time in steps, of the replicas that decode
  double cache_used = 0;             // of their KV cache, the mean
  bool saturated = false;
  bool exceeded = false;                       // a limit of the SLO is surely missed: the run was ended there
  bool ended_early = false;                    // before the fleet was in a steady state
  bool is_whole = false;                       // to the last request; also of a run that ended saturated
  std::int64_t refused = 0;                    // requests that no replica can ever take
  double prefill_busy = 0;                     // of the replicas that prefill, where those are others
  FleetSlice slice;                            // what was simulated of it
  std::vector<double> promised;                // s, in the order of the SLO
  std::vector<simulate::ClassSpread> classes;  // of a mix, in its order
};

/// Of a bill, s.
inline constexpr double kBilledHour = kPeriodHour, kBilledMonth = kPeriodMonth;

struct PlannedFleet {
  PlanPoint point;                          // the deployment, and how many there are of it
  double rate = 0;                          // requests a second at which the SLO is judged, headroom included
  double at_work = 1, prefill_at_work = 0;  // replicas, while the spare ones have failed
  ServingAnswer closed;                     // one replica's share of that rate, by the closed form
  std::optional<SimulatedFleet> simulated;
  std::vector<PromisedFigure> promised;  // in the order of the SLO
  double odds = 0;                       // that all of them hold, if their errors were independent
  bool odds_unknown = false;             // it failed a simulation, and what is said of it is the closed form's
  bool overloaded = false;               // more comes than is finished, or so nearly that no TTFT can be told
  bool holds = false;                    // with the confidence that was asked for
  bool first_late = false;               // where it does not hold: the first token is too late
  bool rest_late = false;                // something else is; neither: a queue says only that there is too little
  double first_seen = 0;                 // s, the first token where it was too late
  bool by_long_steps = false;            // that was with long steps
  double next_bill = 0;                  // dollars a second of a larger one that nobody would pay: so it was given up

  /// More requests than the 99th percentile leaves out cannot be served by any number of such replicas.
  bool refuses() const {
    constexpr double kLeftOut = 0.01;
    return simulated &&
           static_cast<double>(simulated->refused) > kLeftOut * static_cast<double>(simulated->slice.requests);
  }
  bool given_up() const { return next_bill > 0; }

  /// Dollars a second.
  double bill() const { return point.fleet.bill; }
};

/// A day of a fleet whose rate changes by the hour.
struct FleetDay {
  double mean_rate = 0;       // requests a second
  std::vector<double> nodes;  // that each hour takes
  double elastic_bill = 0;    // dollars a second, on average, if the others are given back
};

/// What nodes serve within the SLO, expected, and at 80 %; requests a second. A plan's rate is one that they serve at least,
/// with the confidence that was asked for: at 90 % the low end.
struct RateRange {
  double expected = 0;
  FigureInterval interval;
};

struct FleetAnswer {
  FleetQuestion question;
  PlanAnswer plan;                   // the screening
  std::vector<PlannedFleet> fleets;  // those that keep the SLO first, the best first
  std::optional<FleetDay> day;       // of the first fleet, where hours were given
  std::optional<RateRange> range;    // of the first fleet, where nodes or a budget were given
  std::uint64_t simulations = 0;
  bool stopped = false;
};

/// The plan's targets and objective for a fleet.
PlanRequest fleet_request(const FleetQuestion& question);

/// The errors that a promise has: those of a whole request are those of its tokens.
SpreadFigure figure_of(SloMetric metric);

/// Dollars for an output token at the rate that is asked for; of a day, at its mean.
double cost_of(const FleetAnswer& answer, const PlannedFleet& fleet);

/// By how much the first fleet beats the next, in its bill or its rate, and the error of its throughput (80 %); both as
/// shares. None where only one keeps the SLO, or errors are not known.
struct FleetLead {
  double ahead = 0, error = 0;

  bool is_clear() const { return ahead > error; }
};
std::optional<FleetLead> lead_of(const FleetAnswer& answer);

/// Told what is being done, and how many requests were simulated so far; false stops.
using FleetProgress = std::function<bool(std::uint64_t simulations, std::int64_t requests)>;

Result<FleetAnswer> plan_fleet(const FleetQuestion& question, const Library& library, const FleetProgress& go_on = {});

}  // namespace ridge
