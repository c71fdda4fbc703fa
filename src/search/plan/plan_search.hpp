#pragma once
// What a planner has found so far: frontiers and the best deployments. What threads found merges, in any order, to the
// search of the whole.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "layout/layout.hpp"
#include "search/plan/frontier.hpp"
#include "serve/slo/fleet_size.hpp"

namespace ridge {

/// What to make small (or large, for speed). `bill` is of the whole nodes that serve a rate, `rate` what given nodes serve.
enum class Objective { cost, latency, chips, energy, bill, rate };
Result<Objective> parse_objective(std::string_view word);
std::string_view name_of(Objective objective);

/// Which of a request's machines, formats and settings: places in its lists.
struct PlanVariant {
  std::size_t machine = 0, weights = 0, kv = 0, speculative_tokens = 0, token_budget = 0, prefill_machine = 0,
              overlap = 0;

  friend bool operator==(const PlanVariant&, const PlanVariant&) = default;
};

/// One deployment.
struct PlanPoint : PlanVariant {
  Layout layout;
  bool disaggregated = false;
  Layout prefill_layout;                    // of the chips that prefill, where disaggregated
  double concurrency = 0;                   // of one replica
  double ttft = 0, tpot = 0;                // s; no tpot where nothing is decoded: 0
  double user_rate = 0, chip_rate = 0;      // output tokens/s: a user's, and a chip's (all chips counted)
  double cost = 0;                          // dollars: the whole bill over the answers' tokens
  double chips = 0;                         // for one replica, those for prompts included
  double energy = 0;                        // joules for an output token; 0: power is not known
  double tpot_margin = 1, ttft_margin = 1;  // by which a figure may be longer, at the plan's confidence
  FleetSize fleet;                          // where a fleet is asked for
  bool ttft_known = false;                  // below saturation
  bool extrapolated = false;                // some calibration is borrowed
  bool layout_seen = true;                  // somebody has measured a layout of its kind
  std::uint64_t index = 0;                  // among all cases: settles ties
};

/// A number for a layout with its way of prefill, whatever its load.
std::uint64_t deployment_of(const PlanPoint& point);
inline constexpr std::uint64_t kCasesOfALayout = 512;  // numbers kept for one layout: modes times loads

/// What of a point is made small.
double objective_of(Objective objective, const PlanPoint& point);
/// Whether `a` is to be chosen rather than `b`; of equals the one that stands on measurements of its chip and of its kind of
/// layout, then the cheaper, then the first.
bool better(Objective objective, const PlanPoint& a, const PlanPoint& b);

/// x and y are what is made large, negated.
struct PlanCandidate : Candidate {
  PlanPoint point;
};
using PlanFrontier = FrontierOf<PlanCandidate>;

/// Which promise would have to give way: the time per token, the first one's, or both by the same factor.
enum class Relaxed { token, first, both };

/// A deployment that would keep the promise if it were so many times as long.
struct NearPoint {
  double factor = 1;
  PlanPoint point;
};

/// Loads of a deployment with the edge of the SLO between them.
struct PlanEdge {
  PlanPoint within;
  PlanPoint beyond;  // no load before it is better
};

/// Deployments that are looked at more closely where a fleet is asked for.
inline constexpr std::size_t kFew = 8;

/// What deployments have in common that err together: where the closed form is off for one, it is off for its kin.
struct DeploymentKind {
  std::size_t machine = 0;
  bool disaggregated = false, stages = false, attention_data = false;

  friend auto operator<=>(const DeploymentKind&, const DeploymentKind&) = default;
};
DeploymentKind kind_of(const PlanPoint& point);

struct PlanSearch {
  PlanFrontier frontier;                             // a user's tokens/s against a chip's, promise kept or not
  PlanFrontier cost_frontier;                        // against tokens for a dollar
  std::map<std::size_t, PlanFrontier> of_machine;    // the first for each machine alone
  std::map<std::size_t, PlanPoint> best_of_machine;  // of those that keep the promise
  std::map<DeploymentKind, PlanPoint> best_of_kind;
  std::optional<PlanPoint> best, runner_up;  // the runner-up is another deployment, not another load
  std::vector<PlanPoint> few;                // the best deployments, at most kFew, the best first
  std::uint64_t evaluated = 0, layouts = 0, fitting = 0;
  std::vector<PlanEdge> edges;                      // of deployments that may be the best of their machine there
  std::array<std::optional<NearPoint>, 3> nearest;  // by Relaxed, of those that break the promise

  /// A deployment, promise kept or not.
  void draw(const PlanPoint& point);
  /// One deployment's best load that keeps the promise, beside those found so far.
  void offer(Objective objective, const PlanPoint& point);
  /// One deployment's last load that keeps the promise, and the next one, which does not.
  void come_to_edge(Objective objective, const PlanPoint& within, const PlanPoint& beyond);
  void come_near(Relaxed what, double factor, const PlanPoint& point);
  void merge(Objective objective, const PlanSearch& other);

 private:
  void keep_best(Objective objective, const PlanPoint& point);
  void keep_few(Objective objective, const PlanPoint& point);
};

}  // namespace ridge
