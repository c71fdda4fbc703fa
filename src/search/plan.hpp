#pragma once
// The planner: every layout a model has on a machine, under every load that fits; the frontier of speed against cost,
// and the point to choose. An evaluation is so cheap that nothing is guessed or pruned away.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/frontier.hpp"
#include "serve/serving.hpp"

namespace ridge {

/// What to make small (or large, for speed).
enum class Objective { cost, latency, chips, energy };
Result<Objective> parse_objective(std::string_view word);
std::string_view name_of(Objective objective);

/// Of one replica, where nobody said how many: more has not been seen in service.
inline constexpr double kMostChips = 256;

/// A machine that is not there: factors on what this one has.
struct PlanChange {
  double memory = 1, capacity = 1, matrix = 1, link = 1,
         engine = 1;  // bandwidth, bytes, FLOP/s, scale-up; engine's time
};

struct PlanRequest {
  ServingQuestion question;           // model, lengths, engine; degrees that are given there are held
  std::vector<std::string> machines;  // catalog names
  std::vector<std::optional<std::string>> weights = {std::nullopt};  // formats to try; none: as released
  std::optional<Seconds<double>> ttft, tpot;                         // the promise to users
  Objective objective = Objective::cost;
  double most_chips = 0;               // of one replica that decodes; 0: one scale-up domain, at most kMostChips
  bool together = true, apart = true;  // prompts beside decoding, and on chips of their own
  unsigned threads = 1;
  PlanChange change;
};

/// One deployment.
struct PlanPoint {
  std::size_t machine = 0, weights = 0;  // in the request
  Layout layout;
  bool apart = false;
  double concurrency = 0;               // of one replica
  double ttft = 0, tpot = 0;            // s
  double user_rate = 0, chip_rate = 0;  // output tokens/s: a user's, and a chip's (all chips counted)
  double cost = 0;                      // dollars: the whole bill over the answers' tokens
  double chips = 0;                     // for one replica, those for prompts included
  double energy = 0;                    // joules for an output token; 0: power is not known
  bool ttft_known = false;              // below saturation
  std::uint64_t index = 0;              // among all cases: settles ties
};

/// x and y are what is made large, negated.
struct PlanCandidate : Candidate {
  PlanPoint point;
};
using PlanFrontier = FrontierOf<PlanCandidate>;

/// What is missing, and how little more it would take.
struct PlanRelaxation {
  std::string say;  // "--tpot 38 ms"
  double factor = 1;
  PlanPoint point;
};

struct PlanSearch {
  PlanFrontier frontier;                             // a user's tokens/s against a chip's, promise kept or not
  PlanFrontier cost_frontier;                        // against tokens for a dollar
  std::map<std::size_t, PlanFrontier> of_machine;    // the first for each machine alone
  std::map<std::size_t, PlanPoint> best_of_machine;  // of those that keep the promise
  std::optional<PlanPoint> best, runner_up;          // the runner-up is another deployment, not another load
  std::uint64_t evaluated = 0, layouts = 0, fitting = 0;
  std::vector<PlanRelaxation> relaxations;  // where nothing keeps the promise
};

/// A machine, with what no layout changes.
struct PlanMachine {
  std::string name, title;
  double price = 0, domain = 1;
};

struct PlanAnswer {
  PlanRequest request;
  std::string model_title;
  std::vector<PlanMachine> machines;
  PlanSearch search;
  std::vector<std::string> notes;
};

/// All layouts of a model on chips of one domain or several, the degrees of the question held where they are given.
std::vector<Layout> all_layouts(const Model& model, const ServingQuestion& question, double most_chips);

/// Requests in flight that are tried: from one a group up to what fits, two steps to a doubling.
std::vector<double> all_loads(double groups, double capacity);

Result<PlanAnswer> make_plan(const PlanRequest& request, const Library& library);

/// One change, and what the best deployment becomes by it: the whole search again.
struct PlanOutlook {
  std::string say;
  std::optional<PlanPoint> best;
};
std::vector<PlanOutlook> outlooks(const PlanRequest& request, const Library& library);

/// The question that `ridge why` would answer for a point.
ServingQuestion question_at(const PlanRequest& request, const PlanPoint& point);

/// What of a point is made small.
double objective_of(Objective objective, const PlanPoint& point);

}  // namespace ridge
