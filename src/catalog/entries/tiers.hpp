#pragma once
// Tiers from catalog/tier and curves of re-use from catalog/reuse, one file each.

#include "catalog/facts/entry.hpp"
#include "library/reuse.hpp"
#include "machine/tier.hpp"

namespace ridge::catalog {

Tier read_tier(Entry& entry);
ReuseCurve read_reuse(Entry& entry);

}  // namespace ridge::catalog
