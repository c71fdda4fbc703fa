#include "simulate/client/client.hpp"

#include <doctest/doctest.h>

#include "simulate/simulation.hpp"

namespace ridge::simulate::client_test {

ClientRules in_turn() {
  ClientRules rules;
  rules.arrivals = OpenLoop{.rate = 10};
  rules.prompt = {100, 100};
  rules.output = {4, 4};
  rules.requests = 12;
  rules.system_prompts = 5;
  rules.system_tokens = 96;
  rules.chunk_tokens = 16;
  rules.prompts_in_turn = true;
  return rules;
}

TEST_CASE("system prompts in turn come back after as many requests as there are, and not sooner") {
  Client client(in_turn(), 7);
  std::vector<std::vector<std::uint64_t>> names;
  while (const auto sending = client.next()) names.push_back(sending->request.shared.names);
  REQUIRE(names.size() == 12);
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(names[i].size() == 6);  // 96 / 16
    for (std::size_t k = i + 1; k < names.size(); ++k) CHECK((names[i] == names[k]) == ((k - i) % 5 == 0));
  }
}

/// Prompt tokens that were found in the prefix cache, of an engine with room for all.
std::int64_t cached_tokens(const ClientRules& rules) {
  SimulationSetup setup;
  setup.client = rules;
  setup.replica.limits.blocks = 10'000;
  setup.replica.time = [](std::span<const StepWork>) { return Nanoseconds{1'000'000}; };
  return simulate(setup).counts.cached_tokens;
}

TEST_CASE("warm-ups through all prompts leave none that is not known") {
  ClientRules rules = in_turn();
  CHECK(cached_tokens(rules) == 7 * 96);  // all but the first five
  rules.warmups = 2;
  CHECK(cached_tokens(rules) == 9 * 96);
  rules.warmups = 5;
  CHECK(cached_tokens(rules) == 12 * 96);
}

}  // namespace ridge::simulate::client_test
