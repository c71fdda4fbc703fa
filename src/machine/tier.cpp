#include "machine/tier.hpp"

namespace ridge {

std::vector<std::string> assumed_facts(const Tier& tier) {
  std::vector<std::string> out;
  const auto add = [&](const auto& fact, const char* name) {
    if (fact.from.kind == Kind::assumed) out.emplace_back(name);
  };
  const auto maybe = [&](const auto& fact, const char* name) {
    if (fact) add(*fact, name);
  };
  maybe(tier.capacity, "capacity");
  maybe(tier.read, "read rate");
  maybe(tier.write, "write rate");
  maybe(tier.reach, "reach");
  maybe(tier.latency, "latency");
  maybe(tier.seek, "seek");
  maybe(tier.piece, "piece");
  maybe(tier.utilization, "utilization");
  maybe(tier.rewrites, "rewrites");
  maybe(tier.charged, "share of the chip's price");
  maybe(tier.mfu, "MFU");
  if (tier.owned) {
    add(tier.owned->capex, "price");
    add(tier.owned->life, "life");
    add(tier.owned->power, "power");
    add(tier.owned->pue, "PUE");
    add(tier.owned->electricity, "electricity");
    add(tier.owned->cost_of_capital, "cost of capital");
  }
  maybe(tier.server_price, "server");
  maybe(tier.server_power, "server's power");
  return out;
}

Ownership owned_with_server(const Tier& tier) {
  Ownership owned = tier.owned.value_or(Ownership{});
  if (tier.server_price) owned.capex.value = owned.capex.value + tier.server_price->value;
  if (tier.server_power) owned.power.value = owned.power.value + tier.server_power->value;
  return owned;
}

}  // namespace ridge
