#pragma once
// What a deployment is bought as: whole nodes, and what a replica of it takes and serves.

#include "serve/serving.hpp"
#include "serve/slo/fleet_size.hpp"

namespace ridge {

struct BoughtReplica {
  SoldNodes sold;
  ReplicaTerms replica;
};

/// Whole nodes that were bought for a rate, and how one of their replicas runs there.
struct BoughtFleet {
  FleetAim aim;  // the rate, with headroom and spare replicas
  FleetSize size;
  BoughtReplica each;
};

/// Why a fleet may be more than fully utilized.
inline std::string busier_prefill_note() {
  return "more than 100% utilized: the fleet's prefill replicas are busier than costs at full utilization count with";
}

inline BoughtReplica bought_replica(const ServingAnswer& serving) {
  const ServingGround& ground = serving.ground();
  const double prefill = ground.engine.disaggregated ? serving.estimate.prefill_replicas.value() : 0;
  const auto terms = [](const ServingGround& of) { return NodeTerms{node_of(*of.machine), of.numbers.price.value()}; };
  BoughtReplica out{{terms(ground)},
                    {serving.layout().chips(), serving.estimate.requests.value(),
                     serving.deployment.prefill.layout.chips(), prefill * serving.layout().replicas}};
  if (serving.deployment.prefill_elsewhere) out.sold.prefill = terms(*serving.deployment.prefill_elsewhere);
  return out;
}

}  // namespace ridge
