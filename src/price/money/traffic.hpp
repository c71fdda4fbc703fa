#pragma once
// What providers say they serve.

#include <optional>

#include "base/number/units.hpp"
#include "base/numbers_entry.hpp"
#include "base/result.hpp"

namespace ridge {

struct ProviderTraffic {
  TokensPerSecond<double> all{}, output{};         // input and output together; output alone
  std::optional<Sourced<Ratio<double>>> by_share;  // where only the sum is published: what of it is taken as output
  Provenance from;
};

/// An entry of catalog/traffic: `output` and `input`, or `all` with the `output_share` that is assumed of it.
Result<ProviderTraffic> traffic_of(const NumbersEntry& entry);

}  // namespace ridge
