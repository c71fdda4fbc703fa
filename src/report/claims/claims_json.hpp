#pragma once
// Judged claims for programs.

#include <string>
#include <vector>

#include "claims/claim.hpp"

namespace ridge::report {

std::string claims_json(const std::vector<JudgedClaim>& claims);

}  // namespace ridge::report
