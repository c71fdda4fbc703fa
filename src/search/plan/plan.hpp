#pragma once
// The planner: every layout a model has on a machine, under every load that fits; the frontier of speed against cost,
// and the point to choose. An evaluation is so cheap that nothing is guessed, and left out
// only what cannot be best (docs/theory/planning.md).

#include <optional>
#include <string>
#include <vector>

#include "search/plan/plan_search.hpp"
#include "serve/serving.hpp"
#include "serve/slo/slo_odds.hpp"

namespace ridge {

/// Of one replica, where nobody said how many: more has not been seen in service.
inline constexpr double kMostChips = 256;
/// Of one replica, whoever asks: twice the largest cluster that anything was trained on would take minutes to lay out.
inline constexpr double kMostChipsAsked = 65536;

/// A machine that is not there: factors on what this one has.
struct PlanChange {
  double memory = 1, capacity = 1, matrix = 1, link = 1,
         engine = 1;  // bandwidth, bytes, FLOP/s, scale-up; engine's time
};

struct PlanRequest {
  ServingQuestion question;                   // model, lengths, engine; degrees that are given there are held
  std::vector<std::string> machines;          // catalog names
  std::vector<std::string> prefill_machines;  // those that prefill, each tried beside each; none: the same as decode
  // to try, each with each; none: as released, and what engines choose; empty: the question's
  std::vector<std::optional<std::string>> weights = {std::nullopt}, kv = {std::nullopt};
  std::vector<double> speculative_tokens, token_budgets;
  std::vector<Overlap> overlaps;              // empty: the question's, or what the engine has
  std::optional<Seconds<double>> ttft, tpot;  // the promise to users
  std::optional<double> concurrency;          // of one replica; none: every load that fits
  std::optional<Seconds<double>> e2e;         // and the whole request
  /// That a target holds, given the errors of runs that were left out: a figure counts with the margin of its own
  /// situation. One half: the estimates alone.
  double confidence = kPlanConfidence;
  std::optional<FleetAim> fleet;  // for the objectives `bill` and `rate`
  Objective objective = Objective::cost;
  double most_chips = 0;  // of one replica, for either; 0: one scale-up domain, at most kMostChips
  bool aggregated = true, disaggregated = true;  // prefill on the chips that decode, and on chips of its own
  unsigned threads = 1;
  PlanChange change;
};

/// A machine, with what no layout changes.
struct PlanMachine {
  std::string name, title;
  double price = 0, domain = 1;
  double node = 1;        // chips that are bought or rented together
  double idle_price = 0;  // dollars a second and chip, in use or not
  bool assumed_price = false;
};

/// What is missing, and how little more it would take.
struct PlanRelaxation {
  std::string say;  // "--tpot 38 ms"
  double factor = 1;
  PlanPoint point;
};

struct PlanAnswer {
  PlanRequest request;
  std::string model_title;
  std::vector<PlanMachine> machines, prefill_machines;  // as in the request
  PlanSearch search;
  std::vector<PlanRelaxation> relaxations;  // where nothing keeps the promise
  std::vector<std::string> notes;
};

/// The machine that a point prefills on, where it is another than it decodes on.
const PlanMachine* prefill_machine_of(const PlanAnswer& plan, const PlanPoint& point);

/// Whether the price of its chips is somebody's guess.
inline bool assumes_price(const PlanAnswer& plan, const PlanPoint& point) {
  const PlanMachine* prefill = prefill_machine_of(plan, point);
  return plan.machines[point.machine].assumed_price || (prefill != nullptr && prefill->assumed_price);
}

/// Of one model on one machine; who has more means something else.
inline constexpr std::size_t kMostLayouts = 500000;
/// All layouts of a model on chips of one domain or several, the degrees of the question held where they are given: no
/// further than the first beyond kMostLayouts. With copies of popular experts a stage is a power of two, or tiles the
/// `domain`: copies would let experts lie on any number of chips, but nobody takes seven of eight.
std::vector<Layout> all_layouts(const Model& model, const ServingQuestion& question, double most_chips,
                                double domain = 1);

/// Requests in flight that are tried on every layout: from one a group up to what fits, two steps to a doubling.
std::vector<double> all_loads(double groups, double capacity);
/// The same in memory that is kept.
void fill_loads(double groups, double capacity, std::vector<double>& out);

Result<PlanAnswer> make_plan(const PlanRequest& request, const Library& library);

/// One change, and what the best deployment becomes by it: the whole search again.
struct PlanOutlook {
  std::string say;
  PlanRequest request;  // the changed one, whose lists the point's places are in
  std::optional<PlanPoint> best;
};
std::vector<PlanOutlook> outlooks(const PlanRequest& request, const Library& library);

/// The question with one of each of the request's lists.
ServingQuestion question_of(const PlanRequest& request, const PlanVariant& which);
/// The question that `ridge why` would answer for a point.
ServingQuestion question_at(const PlanRequest& request, const PlanPoint& point);

}  // namespace ridge
