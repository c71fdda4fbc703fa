#pragma once
// A fleet for whoever prices its tokens: one of its replicas at its load, and what was bought.

#include "search/fleet/fleet.hpp"
#include "serve/cheapest_load.hpp"
#include "serve/slo/bought_replica.hpp"

namespace ridge {

/// A replica of the first fleet, at the load that it is judged at; at least one request, as chips that wait are counted
/// apart.
Result<Deployed> deployed_in(const FleetAnswer& answer, const Library& library);

/// The first fleet, as whole nodes with a bill.
BoughtFleet bought_fleet(const FleetAnswer& answer);

}  // namespace ridge
