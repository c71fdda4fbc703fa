#pragma once
// What a plan searches on: a machine with formats and settings, all its layouts, and the chips for prompts worth trying.

#include <map>

#include "search/lanes/deployments.hpp"
#include "search/plan/plan.hpp"
#include "serve/slo/fleet_size.hpp"
#include "serve/slo/slo_margins.hpp"

namespace ridge {

/// Chips for prompts: a layout, and what a prompt takes there.
struct PrefillChoice {
  Layout layout;
  PrefillService service;
  Seconds<double>
      chip_time{};  // of all its chips, for a prompt; counted in chips that decode where they cost another price
};

/// Everything that no layout changes, resolved once.
struct PlanGround : DeploymentGround {
  PlanVariant which;
  double power = 0;                       // watts of a chip; 0: not known
  double node = 1;                        // chips that are bought or rented together
  double price = 0;                       // dollars a second and chip, idle or not
  std::optional<NodeTerms> prefill_node;  // where prefill is on another machine
  double prefill_power = 0;               // watts of a chip there
  bool prefill_extrapolated = false;      // calibrations of those are borrowed
  bool prefill_price_assumed = false;
  std::vector<std::string> prefill_notes;  // and what is to be said of that
  SloMargins margins;
  const Model* model = nullptr;
  std::string extrapolation;  // whose calibrations are borrowed; empty where they are its own
  std::string assumed_price;  // what is to be said of the price, where it is a guess
  std::vector<Layout> layouts;
  std::map<double, double> busiest;  // expected_largest of each expert degree
  /// Those that no other equals or beats in chip time, time and bytes of cache on a chip: whoever is beaten in all three
  /// makes no deployment cheaper or quicker. Beside layouts with copies of popular experts, chips for prefill have them,
  /// too (see laid_out).
  std::vector<PrefillChoice> prefill, balanced_prefill;

  const std::vector<PrefillChoice>& prefill_beside(const Layout& layout) const {
    return layout.balanced ? balanced_prefill : prefill;
  }
};

Result<PlanGround> plan_ground(const PlanRequest& request, const PlanVariant& which, const Library& library);

}  // namespace ridge
