#include "catalog/entries/client_entry.hpp"

#include "catalog/entries/numbers_entry.hpp"

namespace ridge::catalog {

Result<std::vector<simulate::BenchmarkClient>> benchmark_clients(const std::vector<Fact>& facts) {
  const auto entries = numbers_entries(facts, "client");
  if (!entries) return fail(entries.error());
  std::vector<simulate::BenchmarkClient> clients;
  Errors errors;
  for (const NumbersEntry& entry : *entries) {
    auto client = simulate::benchmark_client(entry);
    if (client) clients.push_back(std::move(*client));
    if (!client) append(errors, client.error());
  }
  if (!errors.empty()) return fail(std::move(errors));
  return clients;
}

}  // namespace ridge::catalog
