#pragma once
// catalog/claim/*.toml to claims.

#include <vector>

#include "base/result.hpp"
#include "catalog/facts/fact.hpp"
#include "claims/claim.hpp"

namespace ridge::catalog {

Result<std::vector<Claim>> read_claims(const std::vector<Fact>& facts);

}  // namespace ridge::catalog
