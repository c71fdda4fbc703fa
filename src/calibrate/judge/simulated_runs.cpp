#include "calibrate/judge/simulated_runs.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "serve/estimate.hpp"
#include "simulate/answer/capacity_error.hpp"
#include "simulate/setup.hpp"

namespace ridge {

namespace {

/// The requests of a run that is replayed.
simulate::Trace trace_of(const SentRow& row, const std::vector<SentRequest>& requests) {
  simulate::Trace trace;
  trace.name = row.id;
  for (const SentRequest& one : requests) {
    if (one.id != row.id) continue;
    trace.requests.push_back({.sent = simulate::nanoseconds(one.sent),
                              .prompt = static_cast<std::int32_t>(one.prompt),
                              .output = static_cast<std::int32_t>(one.output)});
  }
  const auto sooner = [](const auto& a, const auto& b) { return a.sent < b.sent; };
  std::stable_sort(trace.requests.begin(), trace.requests.end(), sooner);
  return trace;
}

/// As it was sent, by its engine's flags. The trace outlives it.
simulate::SimulationQuestion asked_of_sent(const SentRow& row, const simulate::Trace& trace) {
  simulate::SimulationQuestion asked;
  ServingQuestion& serving = asked.serving;
  serving.scenario.model = row.model;
  serving.scenario.machine = row.machine;
  if (!row.format.empty()) serving.scenario.weights = row.format;
  if (!row.kv_format.empty()) serving.scenario.kv = row.kv_format;
  serving.engine = row.engine;
  serving.tensor = row.tensor;
  if (const auto layout = parse_layout(row.layout, "layout"); layout && !row.layout.empty()) {
    serving.tensor = layout->tensor;
    serving.attention_data = layout->attention_data;
    serving.expert = layout->expert;
  }
  if (row.replicas > 1) serving.replicas = row.replicas;
  if (const auto prefill = parse_layout(row.prefill_layout, "prefill_layout"); prefill && !row.prefill_layout.empty()) {
    serving.disaggregated = true;
    asked.routing = simulate::Routing::round_robin;  // Dynamo's front end, unless it is told otherwise
    serving.prefill_layout = *prefill;
    asked.prefill_replicas = row.prefill_replicas;
    if (row.prefill_sequences > 0) asked.prefill_sequences = row.prefill_sequences;
    if (row.prefill_token_budget > 0) asked.prefill_token_budget = row.prefill_token_budget;
  }
  if (row.token_budget > 0) serving.token_budget = row.token_budget;
  if (row.memory_utilization > 0) serving.memory_utilization = row.memory_utilization;
  if (row.max_sequences > 0) asked.scheduler.max_sequences = row.max_sequences;
  asked.scheduler.prefix_cache = row.prefix_cache;
  asked.fresh = row.fresh;
  simulate::ClientRules& client = asked.client;
  const auto whole = [](double value) { return static_cast<std::int32_t>(value); };
  client.requests = static_cast<std::int64_t>(row.requests);
  if (row.arrivals == "replay") {
    client.arrivals = simulate::Replay{&trace};
    return asked;
  }
  client.prompt = {whole(row.isl), whole(row.isl_most)};
  client.output = {whole(row.osl), whole(row.osl_most)};
  client.system_prompts = whole(row.system_prompts);
  client.system_tokens = whole(row.system_tokens);
  client.prompts_in_turn = true;
  client.warmups = static_cast<std::int64_t>(row.warmups);
  client.chunk_tokens = 16;
  if (row.arrivals == "closed") {
    client.arrivals = simulate::ClosedLoop{.users = static_cast<std::int64_t>(row.users)};
  } else {
    client.arrivals = simulate::OpenLoop{.rate = row.rate, .stretched = true};
  }
  return asked;
}

/// All that is known of a run before it is measured.
std::string sending_of(const SentRow& row) {
  if (row.arrivals == "replay") return row.id;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", row.set,
                     row.model, row.machine, row.engine, row.format, row.kv_format, row.tensor, row.layout,
                     row.prefill_layout, row.replicas, row.prefill_replicas, row.token_budget, row.max_sequences,
                     row.memory_utilization, row.prefix_cache, row.arrivals, row.users, row.rate, row.requests, row.isl,
                     row.isl_most, row.osl, row.osl_most, row.system_prompts, row.warmups, row.fresh);
}

/// A run near saturation is told apart, as an answer does; whether its TTFT is in the range.
void tell_range(const simulate::TtftRange& range, const SentRow& row, SimulatedRun& run) {
  if (!range.is_several_fold()) return;
  run.set += ", near saturation here";
  if (row.ttft > 0 && !row.cold)
    run.is_in_range = row.ttft >= range.fast.mean && (range.slow_saturated || row.ttft <= range.slow.mean);
}

ErrorSummary summary_of_figures(const std::vector<const SimulatedFigure*>& figures) {
  std::vector<double> errors;
  for (const SimulatedFigure* one : figures) errors.push_back(one->predicted / one->measured - 1);
  return summary_of(std::move(errors));
}

}  // namespace

SimulatedRun simulate_run(const RunCase& run, const Library& library) {
  const ServingRow& row = *run.row;
  const simulate::SimulatedDeployment made =
      simulate::simulated(std::make_shared<const Deployment>(run.deployment), asked_of_run(row), library);
  const simulate::SimulationResult result = simulate::simulate(made.setup);
  SimulatedRun out{row.engine + " on " + row.machine, true, {}};
  out.id = row.id;
  out.configuration = configuration_of(row);
  if (result.finished == 0) return out;
  const simulate::Latencies& all = result.all;
  const simulate::Spread ttft = all.ttft.spread(), tpot = all.tpot.spread(), itl = all.itl.spread(),
                         e2e = all.e2e.spread();
  const auto add = [&](std::string_view name, double measured, double predicted, bool told) {
    if (told && measured > 0) out.figures.push_back({name, measured, predicted});
  };
  const bool warm = !row.cold;
  if (result.steady.tpot.count() > 0) {
    RequestLoad load = made.load;
    load.concurrency = row.concurrency / run.deployment.layout().replicas;
    const ServingEstimate closed = evaluate(run.deployment, load);
    out.closed = {{"TTFT mean", result.steady.ttft.spread().mean, closed.times.ttft.value()},
                  {"TPOT mean", result.steady.tpot.spread().mean, closed.times.tpot.value()}};
  }
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

std::vector<SimulatedRun> simulate_sent(const Evidence& evidence, const Library& library) {
  std::vector<SimulatedRun> runs;
  for (const SentRow& row : evidence.sent) {
    const simulate::Trace trace = trace_of(row, evidence.requests);
    if (row.arrivals == "replay" && trace.requests.empty()) continue;
    const auto made = simulate::resolve(asked_of_sent(row, trace), library);
    if (!made) continue;  // what it names is checked with the evidence
    const simulate::SimulationResult result = simulate::simulate(made->setup);
    SimulatedRun out{row.set, false, {}};
    // its latencies then say how long the run was: a line of its own, so that nobody overlooks it
    if (result.saturated) out.set += ", saturated here";
    if (row.arrivals == "poisson" && !result.saturated) tell_range(simulate::ttft_range(made->setup, 1), row, out);
    out.id = row.id;
    out.configuration = sending_of(row);
    const simulate::Latencies& all = result.all;
    const auto add = [&](std::string_view name, double measured, double predicted) {
      if (measured > 0 && result.finished > 0) out.figures.push_back({name, measured, predicted});
    };
    const auto add_warm = [&](std::string_view name, double measured, double predicted) {
      if (!row.cold) add(name, measured, predicted);
    };
    const simulate::Spread ttft = all.ttft.spread(), itl = all.itl.spread(), e2e = all.e2e.spread();
    add_warm("TTFT mean", row.ttft, ttft.mean);
    add("TTFT p50", row.ttft_p50, ttft.p50);
    add_warm("TTFT p99", row.ttft_p99, ttft.p99);
    add("TPOT mean", row.tpot, all.tpot.spread().mean);
    add("ITL p50", row.itl_p50, itl.p50);
    add_warm("ITL p99", row.itl_p99, itl.p99);
    add("E2E mean", row.e2e, e2e.mean);
    add_warm("E2E p99", row.e2e_p99, e2e.p99);
    add("requests/s", row.requests_per_s, result.request_rate());
    runs.push_back(std::move(out));
  }
  return runs;
}

std::vector<NoiseLine> simulated_noise(const std::vector<SimulatedRun>& runs) {
  std::vector<NoiseSample> samples;
  for (const SimulatedRun& run : runs) {
    for (const SimulatedFigure& figure : run.figures)
      samples.push_back({std::string(figure.name), run.configuration, run.set, figure.measured});
  }
  return noise_of(samples);
}

std::vector<ValidationLine> simulated_errors(const std::vector<SimulatedRun>& runs) {
  std::map<std::string, std::map<std::string_view, std::vector<const SimulatedFigure*>>> groups;
  std::vector<std::string_view> order;
  const std::string all(kSimulatedGroup);
  for (const SimulatedRun& run : runs) {
    for (const SimulatedFigure& figure : run.figures) {
      if (run.pooled) groups[all][figure.name].push_back(&figure);
      groups[all + ": " + run.set][figure.name].push_back(&figure);
      if (std::find(order.begin(), order.end(), figure.name) == order.end()) order.push_back(figure.name);
    }
    for (const SimulatedFigure& figure : run.closed) groups[std::string(kClosedGroup)][figure.name].push_back(&figure);
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
