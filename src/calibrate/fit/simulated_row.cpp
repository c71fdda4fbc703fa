#include "calibrate/fit/simulated_row.hpp"

#include "serve/estimate.hpp"

namespace ridge {

bool can_simulate(const RunCase& run) {
  const ServingRow& row = *run.row;
  return row.mode == "aggregated" && row.requests_per_user > 0 && row.ttft_p50 > 0 &&
         run.load.concurrency <= run.load.capacity;
}

simulate::SimulationQuestion asked_of_run(const ServingRow& row) {
  simulate::SimulationQuestion asked;
  const auto lengths = [&](double nominal) {
    return simulate::LengthRange{static_cast<std::int32_t>(nominal * (2 * row.length_mean - 1)),
                                 static_cast<std::int32_t>(nominal)};
  };
  asked.client.arrivals = simulate::ClosedLoop{.users = static_cast<std::int64_t>(row.concurrency)};
  asked.client.prompt = lengths(row.isl);
  asked.client.output = lengths(row.osl);
  asked.client.requests = static_cast<std::int64_t>(row.concurrency * row.requests_per_user);
  simulate::SchedulerFlags& flags = asked.scheduler;
  if (row.max_sequences > 0) flags.max_sequences = row.max_sequences;
  if (row.token_budget > 0) flags.token_budget = row.token_budget;
  if (row.poll_steps > 0) flags.poll_steps = row.poll_steps;
  if (row.balance_timeout > 0) flags.balance_timeout = row.balance_timeout;
  flags.balance_wait = row.balance_wait;
  flags.chunked_prefill = !row.whole_prompts;
  asked.fresh = true;          // no warm-up came before
  flags.prefix_cache = false;  // prompts at random, and the scripts switch it off
  return asked;
}

std::optional<ClientFigures> simulated_figures(const RunCase& run, const CalibrationSet& set, const Library& library) {
  auto deployment = std::make_shared<Deployment>(run.deployment);
  ServingCase<double>& numbers = deployment->ground.numbers;
  numbers.chip = set.chips.at(run.chip);
  numbers.kernel = set.kernel;
  numbers.engine = set.engines.at(run.engine);
  simulate::SimulatedDeployment made = simulate::simulated(std::move(deployment), asked_of_run(*run.row), library);
  const auto fresh = set.fresh.find(fresh_group(run));
  made.setup.replica.fresh = {};
  if (fresh != set.fresh.end()) {
    made.setup.replica.fresh = {simulate::nanoseconds(fresh->second.first),
                                simulate::nanoseconds(fresh->second.token * 1e3)};
  }
  const simulate::SimulationResult result = simulate::simulate(made.setup);
  if (result.finished == 0) return {};
  const simulate::Spread ttft = result.all.ttft.spread(), itl = result.all.itl.spread();
  return ClientFigures{ttft.mean, ttft.p50, ttft.p99, result.all.tpot.spread().mean, itl.p50, itl.p99};
}

}  // namespace ridge
