#pragma once
// One layout of a plan: every load that fits, aggregated and disaggregated, and what of it is worth keeping.

#include "search/plan/plan_ground.hpp"

namespace ridge {

/// A layout of a ground, and its number among the layouts of all grounds, which settles ties.
struct LayoutPlace {
  std::size_t in_ground = 0;
  std::uint64_t among_all = 0;
};

/// A load, the number it goes by among its layout's, and the chips that prefill for it.
struct TriedLoad {
  double requests = 1;  // in flight
  std::size_t load = 0;
  const PrefillChoice* prefill = nullptr;
};

/// Memory that is kept from one layout to the next.
struct SearchScratch {
  StepOperations operations;
  std::vector<double> requests;  // in flight, of each load that fits
  std::vector<TriedLoad> tried, sooner;
  std::vector<std::size_t> late;
  std::vector<bool> met;  // by load: the SLO
  std::vector<double> waits;
  DeploymentLoads loads;
  DeploymentFigures figures;
  std::vector<PlanPoint> points;  // those of the last evaluation
  InstructionSet set = best_instruction_set();
};

/// Adds what a layout has to offer to what was found so far.
void search_layout(const PlanRequest& request, const PlanGround& ground, const LayoutPlace& place,
                   SearchScratch& scratch, PlanSearch& out);

/// A deployment at the last load that meets the SLO, found between one that does and one that does not.
PlanPoint at_edge(const PlanRequest& request, const PlanGround& ground, const PlanEdge& edge);

/// The same deployment at the very load that is cheapest within the targets: a search tries only some.
PlanPoint at_cheapest_load(const PlanRequest& request, const PlanGround& ground, const PlanPoint& point);

}  // namespace ridge
