#pragma once
// Benchmark clients of the catalog: catalog/client/*.toml.

#include <vector>

#include "base/result.hpp"
#include "catalog/facts/fact.hpp"
#include "simulate/client/benchmark_client.hpp"

namespace ridge::catalog {

Result<std::vector<simulate::BenchmarkClient>> benchmark_clients(const std::vector<Fact>& facts);

}  // namespace ridge::catalog
