#pragma once
// Tiers from catalog/tier and curves of re-use from catalog/reuse, one file each.

#include "catalog/entry.hpp"
#include "machine/tier.hpp"
#include "serve/reuse.hpp"

namespace ridge::catalog {

Tier read_tier(Entry& entry);
ReuseCurve read_reuse(Entry& entry);

}  // namespace ridge::catalog
