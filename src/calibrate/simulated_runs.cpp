#include "calibrate/simulated_runs.hpp"

#include <algorithm>
#include <map>

#include "simulate/setup.hpp"

namespace ridge {

namespace {

/// The benchmark client of InferenceX: all users at once, lengths alike from twice the mean less the nominal up to it.
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

ErrorSummary summary_of_figures(const std::vector<const SimulatedFigure*>& figures) {
  std::vector<double> errors;
  for (const SimulatedFigure* one : figures) errors.push_back(one->predicted / one->measured - 1);
  return summary_of(std::move(errors));
}

}  // namespace

bool can_simulate(const RunCase& run) {
  const ServingRow& row = *run.row;
  return row.mode == "aggregated" && row.requests_per_user > 0 && row.ttft_p50 > 0 &&
         run.load.concurrency <= run.load.capacity;
}

SimulatedRun simulate_run(const RunCase& run, const Library& library) {
  const ServingRow& row = *run.row;
  const simulate::SimulatedDeployment made =
      simulate::simulated(std::make_shared<const Deployment>(run.deployment), asked_of_run(row), library);
  const simulate::SimulationResult result = simulate::simulate(made.setup);
  SimulatedRun out{&row, {}};
  if (result.finished == 0) return out;
  const simulate::Latencies& all = result.all;
  const simulate::Spread ttft = all.ttft.spread(), tpot = all.tpot.spread(), itl = all.itl.spread(),
                         e2e = all.e2e.spread();
  const auto add = [&](std::string_view name, double measured, double predicted, bool told) {
    if (told && measured > 0) out.figures.push_back({name, measured, predicted});
  };
  const bool warm = !row.cold;
  add("TTFT mean", row.ttft, ttft.mean, warm);
  add("TTFT p50", row.ttft_p50, ttft.p50, true);
  add("TTFT p99", row.ttft_p99, ttft.p99, warm);
  add("TPOT mean", row.tpot, tpot.mean, warm);
  add("TPOT p99", row.tpot_p99, tpot.p99, warm);
  add("ITL p50", row.itl_p50, itl.p50, true);
  add("ITL p99", row.itl_p99, itl.p99, warm);
  add("E2E mean", row.latency, e2e.mean, warm);
  add("E2E p99", row.e2e_p99, e2e.p99, warm);
  return out;
}

std::vector<SimulatedRun> simulate_runs(const Evidence& evidence, const Library& library) {
  std::vector<SimulatedRun> runs;
  std::string why;
  for (const ServingRow& row : evidence.serving) {
    if (row.requests_per_user == 0) continue;
    const auto run = serving_case(row, library, why);
    if (run && can_simulate(*run)) runs.push_back(simulate_run(*run, library));
  }
  return runs;
}

std::vector<ValidationLine> simulated_errors(const std::vector<SimulatedRun>& runs) {
  std::map<std::string, std::map<std::string_view, std::vector<const SimulatedFigure*>>> groups;
  std::vector<std::string_view> order;
  const std::string all(kSimulatedGroup);
  for (const SimulatedRun& run : runs) {
    for (const SimulatedFigure& figure : run.figures) {
      groups[all][figure.name].push_back(&figure);
      groups[all + ": " + run.row->engine + " on " + run.row->machine][figure.name].push_back(&figure);
      if (std::find(order.begin(), order.end(), figure.name) == order.end()) order.push_back(figure.name);
    }
  }
  std::vector<ValidationLine> lines;
  for (const auto& [group, figures] : groups) {
    for (const std::string_view name : order) {
      const auto found = figures.find(name);
      if (found == figures.end()) continue;
      lines.push_back({group, std::string(name), summary_of_figures(found->second), "", 0});
    }
  }
  return lines;
}

}  // namespace ridge
